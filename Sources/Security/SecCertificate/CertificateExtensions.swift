import SwiftASN1

/// The extensions of a certificate (RFC 5280 4.1.2.9) that the keychain uses.
struct CertificateExtensions: Sendable {
  /// The subject key identifier (4.2.1.2).
  private(set) var subjectKeyID: [UInt8]?
  /// The subject alternative name (4.2.1.6), as DER that is parsed on demand.
  private(set) var subjectAlternativeName: [UInt8]?

  /// Creates an empty set of extensions.
  init() {}

  /// Parses `Extensions`; nil if it is malformed or empty, or if a critical subject key identifier cannot be parsed.
  init?(_ node: ASN1Node) {
    guard let extensions = node.elements(.sequence), !extensions.isEmpty else { return nil }
    for element in extensions {
      guard var parts = element.elements(.sequence)?[...], let identifier = parts.popFirst()?.objectIdentifier else {
        return nil
      }
      var isCritical = false
      if parts.first?.identifier == .boolean {
        guard let value = parts.popFirst()?.primitive(.boolean), value.count == 1 else { return nil }
        isCritical = value.first != 0
      }
      guard let value = parts.popFirst()?.primitive(.octetString), parts.isEmpty else { return nil }
      switch identifier {
      case .subjectKeyIdentifier:
        if let bytes = (try? DER.parse(value))?.primitive(.octetString) {
          subjectKeyID = Array(bytes)
        } else if isCritical {
          return nil
        }
      case .subjectAlternativeName: subjectAlternativeName = Array(value)
      default: break
      }
    }
  }

  /// The names of one kind in the subject alternative name: 1 for mail addresses, 2 for hosts. Nil if one of them, or the
  /// extension itself, cannot be parsed.
  func alternativeNames(tagged number: UInt) -> [String]? {
    guard let subjectAlternativeName else { return [] }
    guard let names = (try? DER.parse(subjectAlternativeName))?.elements(.sequence) else { return nil }
    var texts: [String] = []
    for name in names where name.identifier == ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific) {
      guard let bytes = name.primitive(name.identifier), let text = String(validating: bytes, as: UTF8.self) else {
        return nil
      }
      texts.append(text)
    }
    return texts
  }
}
