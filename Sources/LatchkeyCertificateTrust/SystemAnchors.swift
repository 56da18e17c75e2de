internal import Foundation
internal import LatchkeyEnclaveKeys
internal import Synchronization
internal import X509

/// The system's trusted roots, from the distribution's bundle. The bundle is read once, at first use. A program restarts to see
/// changes, as with OpenSSL.
final class SystemAnchors: Sendable {
  static let shared = SystemAnchors(paths: SystemAnchors.places)

  /// Bundle paths of Debian and Alpine, Fedora, SUSE, and older systems.
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

  /// All roots of the first readable bundle.
  var all: [ChainCertificate] {
    read.withLock { read in
      if let read { return read }
      let certificates = paths.lazy.compactMap(Self.bundle).first ?? []
      read = certificates
      return certificates
    }
  }

  /// Roots whose subject is an issuer or a subject of `certificates`.
  func certificates(leadingFrom certificates: [ChainCertificate]) -> [ChainCertificate] {
    let names = Set(certificates.flatMap { [$0.certificate.issuer, $0.certificate.subject] })
    return all.filter { names.contains($0.certificate.subject) }
  }

  /// Reads the certificates of a bundle; nil if the file is missing, too long or not UTF-8. Unreadable certificates are
  /// skipped: bundles contain keys that swift-certificates does not support.
  private static func bundle(_ path: String) -> [ChainCertificate]? {
    guard let file = FileHandle(forReadingAtPath: path),
      let bytes = try? file.read(upToCount: longest + 1), bytes.count <= longest,
      let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    var certificates: [ChainCertificate] = []
    for der in PEMDocument.contents(of: "CERTIFICATE", in: text).contents {
      guard let der, let certificate = ChainCertificate(der: der) else { continue }
      certificates.append(certificate)
      if certificates.count == most { break }
    }
    return certificates
  }
}
