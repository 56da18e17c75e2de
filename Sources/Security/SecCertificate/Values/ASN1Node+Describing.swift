import LatchkeyByteCoding
import SwiftASN1

/// Texts for nodes of a certificate, as SecCertificate.c of Security-61901 spells them.
extension ASN1Node {
  /// The bytes after tag and length.
  var contentBytes: ArraySlice<UInt8> {
    if case .primitive(let bytes) = content { return bytes }
    // The parser accepted tag and length, so neither of them ends early.
    var rest = encodedBytes[...]
    if let tag = rest.popFirst(), tag & 0x1F == 0x1F {
      while let byte = rest.popFirst(), byte & 0x80 != 0 {}
    }
    guard let length = rest.popFirst(), length & 0x80 != 0 else { return rest }
    return rest.dropFirst(Int(length & 0x7F))
  }

  /// The value as text: a string itself, other types in a form for people.
  var valueText: String {
    let bytes = contentBytes
    switch identifier {
    case .integer, .boolean: return Self.integerText(bytes)
    case .objectIdentifier: return Self.objectIdentifierText(bytes)
    case .octetString: return Self.blob("Byte string", "bytes", bytes)
    case .bitString: return Self.blob("Bit string", "bits", bytes)
    case .sequence: return Self.blob("Sequence", "bytes", bytes)
    case .set: return Self.blob("Set", "bytes", bytes)
    default:
      return isString
        ? DirectoryString.text(self) : "not displayed (tag = \(identifier.tagNumber); length \(bytes.count))"
    }
  }

  /// Whether the type is one of the strings that names consist of.
  var isString: Bool {
    guard case .primitive = content else { return false }
    switch identifier {
    case .printableString, .ia5String, .utf8String, .generalString, .universalString, .teletexString, .videotexString,
      .visibleString, .bmpString:
      return true
    default: return false
    }
  }

  /// An INTEGER's content: a number without a sign up to 64 bits, hexadecimal above.
  static func integerText(_ content: ArraySlice<UInt8>) -> String {
    guard (1...8).contains(content.count) else { return hexadecimal(content) }
    return String(content.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }

  /// An OBJECT IDENTIFIER's content: numbers with dots.
  static func objectIdentifierText(_ content: ArraySlice<UInt8>) -> String {
    content.isEmpty ? "<NULL>" : DERObjectIdentifier(content: Array(content)).description
  }

  /// Bytes in capitals with spaces between.
  static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.map { Hexadecimal.encode([$0]).uppercased() }.joined(separator: " ")
  }

  private static func blob(_ type: String, _ unit: String, _ bytes: ArraySlice<UInt8>) -> String {
    "\(type); \(bytes.count) \(unit); data = \(hexadecimal(bytes))"
  }
}
