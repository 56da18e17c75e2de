internal import Foundation
internal import SwiftASN1
internal import X509

/// A parsed certificate, as the path search and the rules use it.
struct ChainCertificate: Sendable, Equatable {
  /// The DER as given.
  let der: [UInt8]
  /// The parsed certificate.
  let certificate: Certificate

  /// Returns nil if the bytes are longer than ``X509TrustEvaluator/longestCertificate``, do not parse as a certificate, or end
  /// in a signature of partial bytes.
  init?(der: [UInt8]) {
    guard der.count <= X509TrustEvaluator.longestCertificate, let certificate = try? Certificate(derEncoded: der),
      Self.hasWholeSignature(der)
    else { return nil }
    self.der = der
    self.certificate = certificate
  }

  /// Whether the signature is a BIT STRING of whole bytes. All signatures are. The count of unused bits is not itself signed,
  /// so accepting another count would accept a second encoding of the same certificate.
  private static func hasWholeSignature(_ der: [UInt8]) -> Bool {
    guard let root = try? DER.parse(der), case .constructed(let parts) = root.content,
      let signature = Array(parts).last, case .primitive(let bytes) = signature.content
    else { return false }
    return bytes.first == 0
  }

  static func == (a: Self, b: Self) -> Bool { a.der == b.der }

  /// Whether issuer and subject are the same name.
  var isSelfIssued: Bool { certificate.issuer == certificate.subject }

  /// Whether the signature verifies under `issuer`'s key.
  func isSigned(by issuer: ChainCertificate) -> Bool {
    issuer.certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
  }

  /// Whether `other` is the same authority: the same name and key, as after a renewal or a cross-signature. A path needs no
  /// authority twice (RFC 4158 2.4.1, 5.2).
  func isSameAuthority(as other: ChainCertificate) -> Bool {
    certificate.subject == other.certificate.subject && certificate.publicKey == other.certificate.publicKey
  }

  /// The display name in error texts: the common name, else the subject. Control, format and unassigned characters are dropped,
  /// and at most 64 scalars remain.
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

  /// The first second of validity, since 1970.
  var notBefore: Int64 { Int64(certificate.notValidBefore.timeIntervalSince1970) }
  /// The last second of validity, since 1970.
  var notAfter: Int64 { Int64(certificate.notValidAfter.timeIntervalSince1970) }

  /// Compares key identifiers: 1 if they are equal, 0 if one is missing, -1 if they differ (RFC 4158 3.5.12). The value only
  /// orders the search.
  func fit(of issuer: ChainCertificate) -> Int {
    guard let wanted = try? certificate.extensions.authorityKeyIdentifier?.keyIdentifier,
      let identifier = try? issuer.certificate.extensions.subjectKeyIdentifier?.keyIdentifier
    else { return 0 }
    return wanted == identifier ? 1 : -1
  }
}
