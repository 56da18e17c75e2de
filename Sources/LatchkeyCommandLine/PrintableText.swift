/// Text from the air, or of a store, made fit for a terminal: whose name it is must not move anybody's cursor, nor reverse the line.
package enum PrintableText {
  /// `text` with control and formatting characters as escapes.
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

  /// Whether a terminal shows it as itself, and does nothing else.
  package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }

  /// `bytes` as text in quotes; nil if they are not UTF-8, or numbers rather than text.
  package static func quoted(_ bytes: [UInt8]) -> String? {
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return "\"\(escaped(text))\""
  }
}
