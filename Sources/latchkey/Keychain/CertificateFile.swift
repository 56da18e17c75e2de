import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
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
    var blocks: [Data] = []
    var block: String?
    for line in text.split(whereSeparator: \.isNewline) {
      switch line.trimmingCharacters(in: .whitespaces) {
      case "-----BEGIN CERTIFICATE-----": block = ""
      case "-----END CERTIFICATE-----":
        guard let der = block.flatMap({ try? Base64.decode($0) }) else {
          throw CommandFailure(.badData, "\(path) has a certificate that is no Base64")
        }
        blocks.append(Data(der))
        block = nil
      case let line: block? += line
      }
    }
    guard !blocks.isEmpty, block == nil else {
      throw CommandFailure(.badData, "\(path) has no whole certificate in its PEM")
    }
    return blocks
  }
}
