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
    text.append(UInt8(ascii: "\""))
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\", "/": text += [UInt8(ascii: "\\"), UInt8(truncatingIfNeeded: scalar.value)]
      case "\u{08}": text += Array("\\b".utf8)
      case "\u{0C}": text += Array("\\f".utf8)
      case "\n": text += Array("\\n".utf8)
      case "\r": text += Array("\\r".utf8)
      case "\t": text += Array("\\t".utf8)
      case _ where scalar.value < 0x20 || asASCII && !scalar.isASCII:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          text +=
            Array("\\u".utf8) + [UInt8](repeating: UInt8(ascii: "0"), count: 4 - digits.count) + Array(digits.utf8)
        }
      default: text += Array(String(scalar).utf8)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}
