internal import LatchkeyByteCoding

/// JSON as the old client and its service write it: no white space, `/` escaped as `\/`.
package enum DocumentedJSON {
  /// An object of strings, its members in this order.
  ///
  /// - Parameter asASCII: other characters as `\u` and their UTF-16, as PHP's encoder writes them; Apple's leaves them.
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

  /// A list of such objects.
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

  /// The value of a text from outside; nil for one that is not JSON, or exceeds ``limits``.
  static func read(_ text: [UInt8]) -> JSONValue? { try? StrictJSON.read(text, within: limits) }

  /// More than a valid text needs: it has two levels and five members. The old service accepts U+0000.
  static let limits = StrictJSON.Limits(
    size: DocumentedEnvelope.sizeLimit, depth: 8, members: 64, allowsNullCharacter: true)
}
