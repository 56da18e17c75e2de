/// Text from the air, or of a store, made fit for a terminal: whose name it is must not move anybody's cursor, nor reverse the line.
enum PrintableText {
  /// `text` with control and formatting characters as escapes.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// `bytes` as text in quotes; nil if they are not UTF-8, or numbers rather than text.
  static func quoted(_ bytes: [UInt8]) -> String? {
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return "\"\(escaped(text))\""
  }
}
