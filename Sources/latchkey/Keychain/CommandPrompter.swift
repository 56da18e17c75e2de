import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// Who asks for what a keychain wants to know: the program in `LATCHKEY_ASKPASS`, else the terminal.
struct CommandPrompter: PresencePrompter {
  let askpass: AskpassPrompter?

  /// Whether there is a way to ask for a passcode that no script would stumble over.
  var isReady: Bool { askpass != nil || TerminalQuestion.isPossible }

  func answer(_ question: PresenceQuestion, cancellation: Cancellation) throws(PresenceError) -> [UInt8] {
    guard let askpass else { return try TerminalQuestion.ask(question, cancellation: cancellation) }
    return try Interruption.withdrawing(cancellation) { () throws(PresenceError) in
      try askpass.answer(question, cancellation: cancellation)
    }
  }

  func show(_ message: String) { TerminalPrompter().show(message) }
}
