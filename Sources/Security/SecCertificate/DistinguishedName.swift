import LatchkeyByteCoding
import SwiftASN1

/// The name of a subject or an issuer (RFC 5280 4.1.2.4): a sequence of sets of attributes.
struct DistinguishedName: Sendable {
  /// One attribute, such as `CN=…`.
  struct Attribute: Sendable {
    /// The type, an OBJECT IDENTIFIER.
    let type: DERObjectIdentifier
    /// The value, as text.
    let text: String
  }

  /// All attributes in the order of the certificate, with the members of a set in sequence.
  let attributes: [Attribute]
  /// The content of the name's SEQUENCE, normalized so that equal names have equal bytes: PrintableStrings are in upper
  /// case, trimmed, and with single spaces inside (RFC 5280 7.1; SecCertificate.c, `createNormalizedX501Name`). Everything
  /// else is unchanged.
  let normalizedContent: [UInt8]

  /// ``normalizedContent`` as a SEQUENCE, with its tag and length.
  var normalizedSequence: [UInt8] { Self.encode(.sequence, normalizedContent) }

  /// Parses a name; nil if it is malformed.
  init?(_ node: ASN1Node) {
    guard let sets = node.elements(.sequence) else { return nil }
    var attributes: [Attribute] = []
    var normalized: [UInt8] = []
    for set in sets {
      guard let members = set.elements(.set), !members.isEmpty else { return nil }
      var content: [UInt8] = []
      for member in members {
        guard let pair = member.elements(.sequence), pair.count == 2, let type = pair[0].objectIdentifier else {
          return nil
        }
        attributes.append(Attribute(type: type, text: DirectoryString.text(pair[1])))
        content += Self.encode(.sequence, Array(pair[0].encodedBytes) + Self.normalize(pair[1]))
      }
      normalized += Self.encode(.set, content)
    }
    self.attributes = attributes
    normalizedContent = normalized
  }

  private static func normalize(_ value: ASN1Node) -> [UInt8] {
    guard let printable = value.primitive(.printableString) else { return Array(value.encodedBytes) }
    var normalized: [UInt8] = []
    for byte in printable {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"):
        if let last = normalized.last, last != UInt8(ascii: " ") { normalized.append(UInt8(ascii: " ")) }
      case UInt8(ascii: "a")...UInt8(ascii: "z"): normalized.append(byte - 0x20)
      default: normalized.append(byte)
      }
    }
    if normalized.last == UInt8(ascii: " ") { normalized.removeLast() }
    return encode(.printableString, normalized)
  }

  private static func encode(_ tag: ASN1Tag, _ content: [UInt8]) -> [UInt8] {
    var encoder = DEREncoder()
    encoder.item(tag, content)
    return encoder.bytes
  }

  /// The texts of the attributes of `type`, in order.
  func texts(of type: DERObjectIdentifier) -> [String] {
    attributes.filter { $0.type == type }.map(\.text)
  }
}
