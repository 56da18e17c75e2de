internal import Foundation
import LatchkeyByteCoding
import SwiftASN1

/// Names as properties: those of X.500, and the alternative ones (RFC 5280 4.1.2.4, 4.2.1.6).
extension CertificatePropertyWriter {
  /// Adds the attributes of a name, labeled with their types. The attributes of a set with several are a section without a
  /// label. Where the name is malformed, its bytes follow.
  mutating func name(_ node: ASN1Node) {
    guard let sets = node.elements(.sequence) else { return invalid("X.501 Name", node.encodedBytes) }
    for set in sets {
      guard let members = set.elements(.set), attributes(members) else {
        return invalid("X.501 Name", node.encodedBytes)
      }
    }
  }

  /// Adds the attributes of one set; false if they are malformed.
  mutating func attributes(_ members: [ASN1Node]) -> Bool {
    var pairs: [(type: String, value: String)] = []
    for member in members {
      guard let pair = member.elements(.sequence), pair.count == 2, let type = pair[0].primitive(.objectIdentifier)
      else {
        return false
      }
      pairs.append((ASN1Node.objectIdentifierText(type), pair[1].valueText))
    }
    if pairs.count == 1 {
      text(pairs[0].type, pairs[0].value)
    } else if !pairs.isEmpty {
      section(nil) { section in
        for pair in pairs { section.text(pair.type, pair.value) }
      }
    }
    return !pairs.isEmpty
  }

  /// Adds `GeneralNames`.
  mutating func generalNames(_ node: ASN1Node?, else bytes: ArraySlice<UInt8>) {
    guard let names = node?.elements(.sequence) else { return invalid("General Names", bytes) }
    for name in names { generalName(name) }
  }

  /// Adds a `GeneralName`.
  mutating func generalName(_ name: ASN1Node) {
    guard name.identifier.tagClass == .contextSpecific else { return invalid("General Name", name.encodedBytes) }
    let bytes = name.contentBytes
    switch name.identifier.tagNumber {
    case 0: otherName(name)
    case 1: ascii("Email Address", bytes)
    case 2: ascii("DNS Name", bytes)
    case 3: unparsed("X.400 Address", bytes)
    case 4:
      section("Directory Name") { section in
        guard let names = name.elements(name.identifier), names.count == 1 else {
          return section.invalid("X.501 Name", bytes)
        }
        section.name(names[0])
      }
    case 5: unparsed("EDI Party Name", bytes)
    case 6: url("URI", bytes)
    case 7: address(bytes)
    case 8: text("Registered ID", ASN1Node.objectIdentifierText(bytes))
    default: invalid("General Name", name.encodedBytes)
    }
  }

  /// Adds an `OtherName`, labeled with its type.
  private mutating func otherName(_ name: ASN1Node) {
    let explicit = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
    guard let parts = name.elements(name.identifier), parts.count == 2,
      let type = parts[0].primitive(.objectIdentifier),
      let value = parts[1].elements(explicit), value.count == 1
    else { return invalid("Other Name", name.contentBytes) }
    text(ASN1Node.objectIdentifierText(type), value[0].valueText)
  }

  private mutating func ascii(_ label: String, _ bytes: ArraySlice<UInt8>) {
    guard bytes.allSatisfy({ $0 < 0x80 }) else { return invalid(label, bytes) }
    text(label, String(decoding: bytes, as: UTF8.self))
  }

  /// Adds an address of RFC 3986, or its bytes if they are none.
  mutating func url(_ label: String, _ bytes: ArraySlice<UInt8>) {
    // What is not in the alphabet of addresses is not escaped for the caller. `NSURL` reads more than `URL` does, and traps where
    // the caller casts what only it reads.
    guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }),
      let url = URL(string: String(decoding: bytes, as: UTF8.self), encodingInvalidCharacters: false)
    else { return invalid(label, bytes) }
    add(label, .url(url))
  }

  /// Adds an address of IPv4 or IPv6.
  private mutating func address(_ bytes: ArraySlice<UInt8>) {
    guard let address = Self.addressText(bytes) else { return unparsed("IP Address", bytes) }
    text("IP Address", address)
  }

  /// Four numbers with dots, or eight groups of hexadecimal digits; nil for another length.
  static func addressText(_ bytes: ArraySlice<UInt8>) -> String? {
    switch bytes.count {
    case 4: return bytes.map(String.init).joined(separator: ".")
    case 16:
      let digits = Array(Hexadecimal.encode(Array(bytes)).uppercased())
      return stride(from: 0, to: 32, by: 4).map { String(digits[$0..<$0 + 4]) }.joined(separator: ":")
    default: return nil
    }
  }
}
