internal import Crypto
internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnclaveKeys

/// An authority's key in this process's memory, generated or read from a file. It is as safe as the file and the process.
public struct FileAuthorityKey: AuthorityKey {
  private let key: P256.Signing.PrivateKey
  /// The P-256 public key in X9.63 form, 65 bytes.
  public let publicKey: [UInt8]

  /// Generates a key.
  public init() { self.init(P256.Signing.PrivateKey()) }

  /// Parses a key file: PKCS #8 or ECPrivateKey, PEM or DER, not encrypted. The caller wipes the bytes.
  ///
  /// - Throws: `.misuse` if the bytes are not such a key, or for curves other than P-256.
  public init(fileContents bytes: [UInt8]) throws(AuthorityError) {
    let read: LatchkeyEnclaveKeys.PrivateKey
    do throws(KeyError) { read = try PrivateKey(fileContents: bytes) } catch { throw .misuse("the key: \(error)") }
    var scalar = read.scalar ?? []
    defer { scalar.wipe() }
    guard read.type == .ellipticCurve(.p256), let key = try? P256.Signing.PrivateKey(rawRepresentation: scalar) else {
      throw .misuse("the key is not on P-256: make one with openssl ecparam -name prime256v1 -genkey -noout")
    }
    self.init(key)
  }

  private init(_ key: P256.Signing.PrivateKey) {
    self.key = key
    publicKey = [UInt8](key.publicKey.x963Representation)
  }

  /// Signs with ECDSA and SHA-256 and returns X9.62 DER.
  public func sign(_ message: [UInt8]) throws -> [UInt8] { [UInt8](try key.signature(for: message).derRepresentation) }

  /// PrivateKeyInfo (RFC 5208) in DER, for a file that only its owner can read. A secret; the caller wipes it.
  public var pkcs8: [UInt8] { [UInt8](key.derRepresentation) }

  /// ``pkcs8`` in PEM. A secret.
  public var pem: String { key.pemRepresentation }
}

extension FileAuthorityKey: CustomStringConvertible {
  /// A description without the key.
  public var description: String { "a key in memory" }
}
