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

  /// The first 512 bytes as such a line. Bytes that are not UTF-8 are shown as U+FFFD.
  package static func oneLine(_ bytes: some Collection<UInt8>) -> String {
    oneLine(String(decoding: bytes.prefix(longestLine), as: UTF8.self))
  }

  /// `text` with escapes, as `\u{1b}`, for all characters that are not printable.
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if isPrintable(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return result
  }

  /// `bytes` as escaped text in quotation marks; nil if they are not UTF-8, or contain a zero: those are numbers rather than text.
  package static func quoted(_ bytes: [UInt8]) -> String? {
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return "\"\(escaped(text))\""
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
