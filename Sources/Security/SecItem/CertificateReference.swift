internal import LatchkeyKeychainModel
internal import SwiftASN1

/// A certificate in `kSecValueRef`: it stands for its attributes.
extension ItemRequest {
  /// Takes over what `certificate` says, where the caller's own attributes do not say otherwise (Security-61901,
  /// SecItem.m). Not the label: in a query it would miss the certificate if its item was given another one.
  mutating func take(_ certificate: SecCertificate) {
    var brought = certificate.itemAttributes
    brought[.label] = nil
    attributes.merge(brought) { own, _ in own }
  }

  /// Brings the issuer of a query, if it is the whole name, into the form of stored ones.
  mutating func normalizeIssuer() {
    if case .bytes(let name)? = attributes[.issuer], let content = DistinguishedName.normalizedContent(of: name) {
      attributes[.issuer] = .bytes(content)
    }
  }
}

extension DistinguishedName {
  /// The content, normalized, of the name that `der` encodes; nil if it encodes none.
  static func normalizedContent(of der: [UInt8]) -> [UInt8]? {
    guard der.count <= CertificateFields.longest, let node = try? DER.parse(der) else { return nil }
    return DistinguishedName(node)?.normalizedContent
  }
}
