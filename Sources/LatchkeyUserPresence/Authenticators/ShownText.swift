/// Sanitizes external text for the user's terminal.
enum ShownText {
  /// Decodes at most 512 bytes, with spaces in place of control characters.
  static func of(_ bytes: some Collection<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    for scalar in String(decoding: bytes.prefix(512), as: UTF8.self).unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: text.append(" ")
      default: text.append(scalar)
      }
    }
    return String(text)
  }
}
