internal import LatchkeyKeychainModel
internal import SwiftASN1

/// A certificate in `kSecValueRef`, which represents its attributes.
extension ItemRequest {
  /// Merges the attributes of `certificate`; the caller's own attributes take precedence (Security-61901, SecItem.m). It
  /// excludes the label, so that a query finds the certificate even if its item has another label.
  mutating func take(_ certificate: SecCertificate) {
    var brought = certificate.itemAttributes
    brought[.label] = nil
    attributes.merge(brought) { own, _ in own }
  }

  /// Normalizes the issuer of a query like stored issuers, if it is an encoded name.
  mutating func normalizeIssuer() {
    if case .bytes(let name)? = attributes[.issuer], let content = DistinguishedName.normalizedContent(of: name) {
      attributes[.issuer] = .bytes(content)
    }
  }
}

extension DistinguishedName {
  /// The normalized content of the name that `der` encodes; nil if `der` is not a name.
  static func normalizedContent(of der: [UInt8]) -> [UInt8]? {
    guard der.count <= CertificateFields.longest, let node = try? DER.parse(der) else { return nil }
    return DistinguishedName(node)?.normalizedContent
  }
}
