internal import LatchkeyByteCoding

/// JSON in the form of the old client and its service: no white space, `/` escaped as `\/`.
package enum LegacyJSON {
  /// Encodes an object of strings, members in the given order.
  ///
  /// - Parameter asASCII: whether characters beyond ASCII become `\u` and their UTF-16, as in PHP's encoder; Apple's leaves
  ///   them.
  package static func object(_ members: [(key: String, value: String)], asASCII: Bool = false) -> [UInt8] {
    var text: [UInt8] = [UInt8(ascii: "{")]
    for (index, member) in members.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      append(member.key, to: &text, asASCII: asASCII)
      text.append(UInt8(ascii: ":"))
      append(member.value, to: &text, asASCII: asASCII)
    }
    text.append(UInt8(ascii: "}"))
    return text
  }

  /// Encodes a list of such objects.
  package static func array(_ objects: [[(key: String, value: String)]], asASCII: Bool = false) -> [UInt8] {
    var text: [UInt8] = [UInt8(ascii: "[")]
    for (index, members) in objects.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text += object(members, asASCII: asASCII)
    }
    text.append(UInt8(ascii: "]"))
    return text
  }

  private static func append(_ string: String, to text: inout [UInt8], asASCII: Bool) {
    text.append(contentsOf: JSONString.quote(string, escapes: asASCII ? .php : .foundation).utf8)
  }

  /// Parses untrusted text; nil if it is not JSON or exceeds ``limits``.
  static func read(_ text: [UInt8]) -> JSONValue? { try? StrictJSON.read(text, within: limits) }

  /// The limits exceed the needs of a valid text, which has two levels and five members. The old service accepts U+0000.
  static let limits = StrictJSON.Limits(
    size: LegacyEnvelope.sizeLimit, depth: 8, members: 64, allowsNullCharacter: true)
}
