import LatchkeyKeychainModel
import LatchkeySystem

extension PresenceQuestion {
  /// The question as lines for a terminal or an askpass program: the complaint, the reason, the requested input.
  var text: String {
    let wanted =
      switch subject {
      case .passcode: "Passcode of the keychain: "
      case .applicationPassword: "Application password: "
      case .service(let text, _): PrintableText.oneLine(text)
      }
    return [complaint, reason].compactMap { $0 }.map { PrintableText.oneLine($0) }.filter { !$0.isEmpty }.map {
      $0 + "\n"
    }.joined()
      + wanted
  }

  /// Whether the answer must not be echoed.
  var isSecret: Bool { if case .service(_, let isSecret) = subject { isSecret } else { true } }
}
