import Crypto
import CryptoExtras
import Foundation
import LatchkeyPKCS12
import Testing

/// The files of Fixtures/.
enum Fixtures {
  static func url(_ path: String) throws -> URL {
    try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil)).appendingPathComponent(path)
  }

  static func bytes(_ path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: url(path))) }

  static func text(_ path: String) throws -> String { try String(contentsOf: url(path), encoding: .utf8) }
}

/// Another implementation's reading of a file.
struct ExpectedFile: Codable, Sendable, CustomTestStringConvertible {
  struct Certificate: Codable, Hashable, Sendable {
    let sha256: String
    let name: String?
  }

  let file: String
  let password: String?
  let keys: Int
  /// SHA-256 of the SubjectPublicKeyInfo of the key.
  let publicKey: String?
  /// SHA-256 of the key's certificate.
  let leaf: String?
  let certificates: [Certificate]

  var testDescription: String { file }

  static func all(in folder: URL) throws -> [ExpectedFile] {
    try JSONDecoder().decode([Self].self, from: Data(contentsOf: folder.appendingPathComponent("expected.json")))
  }

  /// The difference in `read`; nil if there is none.
  func difference(from read: PKCS12File) -> String? {
    let found = read.certificates.map { Certificate(sha256: sha256($0.der), name: $0.friendlyName) }
    // The program that made the expectations may leave out names, and sorts the key's certificate to the front.
    let named = certificates.contains { $0.name != nil }
    // Windows counts the zero at the end of a name in, and cryptography reports it.
    let certificates = certificates.map {
      Certificate(sha256: $0.sha256, name: $0.name.map { $0.hasSuffix("\0") ? String($0.dropLast()) : $0 })
    }
    let expected = named ? certificates : certificates.map { Certificate(sha256: $0.sha256, name: nil) }
    let comparable = named ? found : found.map { Certificate(sha256: $0.sha256, name: nil) }
    guard comparable.sorted(by: Self.ascending) == expected.sorted(by: Self.ascending) else {
      return "certificates \(found), not \(expected)"
    }
    guard read.keys.count == keys else { return "\(read.keys.count) keys, not \(keys)" }
    if let leaf, read.identities.first.map({ sha256($0.certificate.der) }) != leaf {
      return "another certificate, or none, for the key"
    }
    if let publicKey, let key = read.keys.first, let half = publicKeyInfo(of: key.pkcs8), sha256(half) != publicKey {
      return "another key"
    }
    return nil
  }

  private static func ascending(_ a: Certificate, _ b: Certificate) -> Bool {
    (a.sha256, a.name ?? "") < (b.sha256, b.name ?? "")
  }
}

func sha256(_ bytes: [UInt8]) -> String { SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined() }

/// The SubjectPublicKeyInfo of a PrivateKeyInfo, by swift-crypto's own reader; nil for what it does not read.
func publicKeyInfo(of pkcs8: [UInt8]) -> [UInt8]? {
  if let key = try? _RSA.Signing.PrivateKey(unsafeDERRepresentation: pkcs8) {
    return [UInt8](key.publicKey.derRepresentation)
  }
  if let key = try? P256.Signing.PrivateKey(derRepresentation: pkcs8) {
    return [UInt8](key.publicKey.derRepresentation)
  }
  if let key = try? P384.Signing.PrivateKey(derRepresentation: pkcs8) {
    return [UInt8](key.publicKey.derRepresentation)
  }
  if let key = try? P521.Signing.PrivateKey(derRepresentation: pkcs8) {
    return [UInt8](key.publicKey.derRepresentation)
  }
  return nil
}
