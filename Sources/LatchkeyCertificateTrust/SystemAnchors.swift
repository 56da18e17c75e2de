internal import Foundation
internal import LatchkeyByteCoding
internal import Synchronization
internal import X509

/// The roots that the system's administrator trusts: the bundle that distributions keep. It is read once, when it is first
/// needed; a program that has to notice changes of it is started anew, as programs with OpenSSL are.
final class SystemAnchors: Sendable {
  static let shared = SystemAnchors(paths: SystemAnchors.places)

  /// Where distributions keep it: Debian and Alpine, Fedora, SUSE, older ones.
  private static let places = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
  ]
  /// A bundle has some 150 certificates of 1 to 2 KB.
  private static let longest = 16 * 1024 * 1024
  private static let most = 4096

  private let paths: [String]
  private let read = Mutex<[ChainCertificate]?>(nil)

  init(paths: [String]) { self.paths = paths }

  /// All of them.
  var all: [ChainCertificate] {
    read.withLock { read in
      if let read { return read }
      let certificates = paths.lazy.compactMap(Self.bundle).first ?? []
      read = certificates
      return certificates
    }
  }

  /// Those that `certificates` name as issuers, or are.
  func certificates(leadingFrom certificates: [ChainCertificate]) -> [ChainCertificate] {
    let names = Set(certificates.flatMap { [$0.certificate.issuer, $0.certificate.subject] })
    return all.filter { names.contains($0.certificate.subject) }
  }

  /// The certificates of a bundle; nil if there is none. Those that cannot be read are left out: a bundle has some with
  /// keys that swift-certificates does not know.
  private static func bundle(_ path: String) -> [ChainCertificate]? {
    guard let file = FileHandle(forReadingAtPath: path),
      let bytes = try? file.read(upToCount: longest + 1), bytes.count <= longest,
      let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    var certificates: [ChainCertificate] = []
    var block: String?
    for line in text.split(whereSeparator: \.isNewline) {
      switch line {
      case "-----BEGIN CERTIFICATE-----": block = ""
      case "-----END CERTIFICATE-----":
        let der = block.flatMap { try? Base64.decode($0) }
        block = nil
        guard let der, let certificate = ChainCertificate(der: der) else { continue }
        certificates.append(certificate)
        if certificates.count == most { return certificates }
      default: block? += line
      }
    }
    return certificates
  }
}
