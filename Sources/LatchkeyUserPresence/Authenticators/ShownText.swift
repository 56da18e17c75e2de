/// A text from outside that goes to the user's terminal.
enum ShownText {
  /// The bytes as a text, at most 512 of them, with spaces for what would steer a terminal.
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
