import SwiftASN1

/// Writing one item of DER (X.690 8.1).
enum DERItem {
  /// Tag, length in as few bytes as it takes, content. `identifier` is universal and has a number below 31.
  static func encode(_ identifier: ASN1Identifier, _ content: [UInt8]) -> [UInt8] {
    let isConstructed = identifier == .sequence || identifier == .set
    let tag = UInt8(truncatingIfNeeded: identifier.tagNumber & 0x1F) | (isConstructed ? 0x20 : 0)
    guard content.count > 0x7F else { return [tag, UInt8(content.count)] + content }
    let length = (0..<8).map { UInt8(truncatingIfNeeded: content.count >> (56 - 8 * $0)) }.drop { $0 == 0 }
    return [tag, 0x80 | UInt8(length.count)] + length + content
  }
}

/// Reading items: nil is "this is something else".
extension ASN1Node {
  /// What a constructed item of this tag consists of.
  func elements(_ identifier: ASN1Identifier) -> [ASN1Node]? {
    guard self.identifier == identifier, case .constructed(let nodes) = content else { return nil }
    return Array(nodes)
  }

  /// The bytes of a primitive item of this tag.
  func primitive(_ identifier: ASN1Identifier) -> ArraySlice<UInt8>? {
    guard self.identifier == identifier, case .primitive(let bytes) = content else { return nil }
    return bytes
  }

  /// The bytes of a BIT STRING; how many bits of the last one are unused is not looked at.
  var bitString: ArraySlice<UInt8>? {
    guard let bytes = primitive(.bitString), let unused = bytes.first, unused < 8 else { return nil }
    return bytes.dropFirst()
  }

  /// An OBJECT IDENTIFIER that is not empty.
  var objectIdentifier: CertificateObjectIdentifier? {
    guard let bytes = primitive(.objectIdentifier), !bytes.isEmpty else { return nil }
    return CertificateObjectIdentifier(bytes: Array(bytes))
  }

  /// Whether this is an AlgorithmIdentifier: an object identifier, and perhaps parameters.
  var isAlgorithmIdentifier: Bool {
    guard let parts = elements(.sequence), (1...2).contains(parts.count) else { return false }
    return parts[0].objectIdentifier != nil
  }
}
