internal import Foundation
internal import SwiftASN1
internal import X509

/// A certificate on its way through the search, with what that asks of it read once.
struct ChainCertificate: Sendable, Equatable {
  /// As it was given.
  let der: [UInt8]
  /// As it was read.
  let certificate: Certificate

  /// The certificate; nil for bytes that are none, or none that a signature could be checked with.
  init?(der: [UInt8]) {
    guard der.count <= X509TrustEvaluator.longestCertificate, let certificate = try? Certificate(derEncoded: der),
      Self.hasWholeSignature(der)
    else { return nil }
    self.der = der
    self.certificate = certificate
  }

  /// Whether the signature ends with a whole byte. All signatures do; a bit less, which is not signed itself, would make
  /// another certificate of the same one.
  private static func hasWholeSignature(_ der: [UInt8]) -> Bool {
    guard let root = try? DER.parse(der), case .constructed(let parts) = root.content,
      let signature = Array(parts).last, case .primitive(let bytes) = signature.content
    else { return false }
    return bytes.first == 0
  }

  static func == (a: Self, b: Self) -> Bool { a.der == b.der }

  /// Whether issuer and subject have the same name.
  var isSelfIssued: Bool { certificate.issuer == certificate.subject }

  /// Whether `issuer`'s key has signed this.
  func isSigned(by issuer: ChainCertificate) -> Bool {
    issuer.certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
  }

  /// Whether `other` is the same authority: of the same name and key, as after a renewal or a cross-signature. No path
  /// needs an authority twice (RFC 4158 2.4.1, 5.2).
  func isSameAuthority(as other: ChainCertificate) -> Bool {
    certificate.subject == other.certificate.subject && certificate.publicKey == other.certificate.publicKey
  }

  /// What it is called in texts: its common name, or its subject, without anything that moves a cursor, and no longer
  /// than a line.
  var name: String {
    let common = certificate.subject.lazy.flatMap { $0 }.last { $0.type == .RDNAttributeType.commonName }
    let text = common.flatMap { String($0.value) } ?? String(describing: certificate.subject)
    let printable = text.unicodeScalars.lazy.filter {
      switch $0.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
      default: true
      }
    }
    var name = String.UnicodeScalarView()
    name.append(contentsOf: printable.prefix(64))
    return "“\(String(name))”"
  }

  /// The first second in which it counts, since 1970.
  var notBefore: Int64 { Int64(certificate.notValidBefore.timeIntervalSince1970) }
  /// The last second in which it counts, since 1970.
  var notAfter: Int64 { Int64(certificate.notValidAfter.timeIntervalSince1970) }

  /// How well `issuer` fits, by the key identifiers of both: 1 they are the same, 0 nothing is said, -1 they differ
  /// (RFC 4158 3.5.12). A hint for the order of the search, and no more.
  func fit(of issuer: ChainCertificate) -> Int {
    guard let wanted = try? certificate.extensions.authorityKeyIdentifier?.keyIdentifier,
      let identifier = try? issuer.certificate.extensions.subjectKeyIdentifier?.keyIdentifier
    else { return 0 }
    return wanted == identifier ? 1 : -1
  }
}
