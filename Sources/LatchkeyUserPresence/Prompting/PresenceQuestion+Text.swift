import LatchkeyKeychainModel

extension PresenceQuestion {
  /// The question as lines for a terminal or an askpass program: the complaint, the reason, the requested input.
  var text: String {
    let wanted =
      switch subject {
      case .passcode: "Passcode of the keychain: "
      case .applicationPassword: "Application password: "
      case .service(let text, _): PromptText.plain(text)
      }
    return [complaint, reason].compactMap { $0 }.map(PromptText.plain).filter { !$0.isEmpty }.map { $0 + "\n" }.joined()
      + wanted
  }

  /// Whether the answer must not be echoed.
  var isSecret: Bool { if case .service(_, let isSecret) = subject { isSecret } else { true } }
}

/// Sanitizes external text for a terminal or a program.
enum PromptText {
  /// The limit of Unicode scalars that are shown.
  private static let maximum = 512

  /// The text in one line, with spaces in place of control characters and bidirectional formatting.
  static func plain(_ text: String) -> String {
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(maximum) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: plain.append(" ")
      default: plain.append(scalar)
      }
    }
    return String(plain)
  }
}
