package import LatchkeyKeychainModel

/// Prompts as the environment configures: by the program in `LATCHKEY_ASKPASS`, else at the terminal.
package struct EnvironmentPrompter: PresencePrompter {
  private let askpass: AskpassPrompter?
  private let terminal = TerminalPrompter()

  /// - Parameter askpass: the program's path.
  package init(askpass: String?) { self.askpass = askpass.map { AskpassPrompter(path: $0) } }

  package func answer(
    _ question: PresenceQuestion, cancellation: Cancellation
  ) throws(PresenceError) -> [UInt8] {
    if let askpass { return try askpass.answer(question, cancellation: cancellation) }
    return try terminal.answer(question, cancellation: cancellation)
  }

  /// Askpass programs cannot show messages, so these always go to the terminal, if there is one.
  package func show(_ message: String) { terminal.show(message) }
}
