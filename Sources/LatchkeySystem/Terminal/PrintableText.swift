/// Text from outside (a peer, a file, a module of PAM) that is shown on a terminal: it must not move the cursor, reverse the line
/// or change the terminal's state.
package enum PrintableText {
  /// How much of a text ``oneLine(_:)-(String)`` leaves.
  package static let longestLine = 512

  /// `text` in one line of at most 512 scalars, with spaces for the characters that would steer a terminal.
  package static func oneLine(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(longestLine) { line.append(steersTerminal(scalar) ? " " : scalar) }
    return String(line)
  }

  /// The characters of the first 512 bytes as such a line. Bytes that are not UTF-8 are shown as U+FFFD.
  package static func oneLine(_ bytes: some BidirectionalCollection<UInt8>) -> String {
    let end = bytes.index(bytes.startIndex, offsetBy: longestLine, limitedBy: bytes.endIndex) ?? bytes.endIndex
    var cut = end
    // A character has at most three continuation bytes: the cut moves back to its first byte.
    for _ in 0..<3 where cut > bytes.startIndex && cut < bytes.endIndex && bytes[cut] & 0xC0 == 0x80 {
      bytes.formIndex(before: &cut)
    }
    let isFirstByte = cut < bytes.endIndex && bytes[cut] >= 0xC0
    return oneLine(String(decoding: bytes[..<(isFirstByte ? cut : end)], as: UTF8.self))
  }

  /// `text` with escapes: `\u{1b}` for a character that is not printable, and `\\` for a backslash. Different texts have different
  /// escaped texts.
  package static func escaped(_ text: String) -> String { escaped(text, also: ["\\"]) }

  /// `text` in quotation marks, escaped, with `\"` for a quotation mark.
  package static func quoted(_ text: String) -> String { "\"\(escaped(text, also: ["\\", "\""]))\"" }

  /// `bytes` as quoted text; nil if they are not UTF-8, or contain a zero: those are numbers rather than text.
  package static func quoted(_ bytes: [UInt8]) -> String? {
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return quoted(text)
  }

  /// A message whose parts may be escaped already: the characters that are not printable are escaped, and backslashes stay.
  package static func message(_ text: String) -> String { escaped(text, also: []) }

  private static func escaped(_ text: String, also marks: Set<Unicode.Scalar>) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if marks.contains(scalar) { result += "\\" }
      if isPrintable(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return result
  }

  /// Whether a terminal shows the scalar as itself, and does nothing else: it steers nothing, and Unicode assigns it.
  package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .surrogate, .privateUse, .unassigned: false
    default: !steersTerminal(scalar)
    }
  }

  /// Whether the scalar controls a terminal, ends a line, or changes the direction of writing.
  private static func steersTerminal(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
