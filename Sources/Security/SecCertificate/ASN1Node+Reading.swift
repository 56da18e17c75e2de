import LatchkeyByteCoding
import SwiftASN1

/// Parses the nodes of a certificate; nil means a different type of node.
extension ASN1Node {
  /// The elements of a constructed item with this tag.
  func elements(_ identifier: ASN1Identifier) -> [ASN1Node]? {
    guard self.identifier == identifier, case .constructed(let nodes) = content else { return nil }
    return Array(nodes)
  }

  /// The content of a primitive item with this tag.
  func primitive(_ identifier: ASN1Identifier) -> ArraySlice<UInt8>? {
    guard self.identifier == identifier, case .primitive(let bytes) = content else { return nil }
    return bytes
  }

  /// The bytes of a BIT STRING. The number of unused bits in the last byte is ignored.
  var bitString: ArraySlice<UInt8>? {
    guard let bytes = primitive(.bitString), let unused = bytes.first, unused < 8 else { return nil }
    return bytes.dropFirst()
  }

  /// A non-empty OBJECT IDENTIFIER. Its numbers are not validated, because it is only compared with known ones.
  var objectIdentifier: DERObjectIdentifier? {
    guard let bytes = primitive(.objectIdentifier), !bytes.isEmpty else { return nil }
    return DERObjectIdentifier(content: Array(bytes))
  }

  /// Whether this is an AlgorithmIdentifier: an object identifier and optional parameters.
  var isAlgorithmIdentifier: Bool {
    guard let parts = elements(.sequence), (1...2).contains(parts.count) else { return false }
    return parts[0].objectIdentifier != nil
  }
}
