import Foundation
import LatchkeyCommandLine
import LatchkeyEnclaveKeys
import Security

/// The certificates in a file: one in DER, or any number in PEM (RFC 7468).
enum CertificateFile {
  /// More than any chain needs.
  private static let limit = 4 * 1024 * 1024

  static func read(_ path: String) throws(CommandFailure) -> [SecCertificate] {
    try certificates(in: bytes(of: path), path)
  }

  /// The bytes of a file.
  static func bytes(of path: String) throws(CommandFailure) -> Data {
    let bytes: Data
    do {
      bytes = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: limit + 1) ?? Data()
    } catch {
      throw CommandFailure(.inputOutput, "\(path) cannot be read")
    }
    guard bytes.count <= limit else { throw CommandFailure(.badData, "\(path) has more than \(limit) bytes") }
    return bytes
  }

  /// The certificates in what a file holds.
  static func certificates(in bytes: Data, _ path: String) throws(CommandFailure) -> [SecCertificate] {
    var certificates: [SecCertificate] = []
    for der in try blocks(in: bytes, path) {
      guard let certificate = SecCertificateCreateWithData(nil, der as CFData) else {
        throw CommandFailure(.badData, "\(path) is no certificate: give one in DER, or some in PEM")
      }
      certificates.append(certificate)
    }
    return certificates
  }

  private static func blocks(in bytes: Data, _ path: String) throws(CommandFailure) -> [Data] {
    guard let text = String(validating: bytes, as: UTF8.self), text.contains("-----BEGIN ") else { return [bytes] }
    let (contents, isWhole) = PEMDocument.contents(of: "CERTIFICATE", in: text)
    var blocks: [Data] = []
    for content in contents {
      guard let content else { throw CommandFailure(.badData, "\(path) has a certificate that is no Base64") }
      blocks.append(Data(content))
    }
    guard !blocks.isEmpty, isWhole else {
      throw CommandFailure(.badData, "\(path) has no whole certificate in its PEM")
    }
    return blocks
  }
}
