import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// The passcode that an option or the environment gives: read when it is first needed, once, and wiped with this.
final class GivenPasscode {
  private let option: String?
  private var read: [UInt8]?

  init(_ option: String?) {
    self.option = option
    isTyped = option != nil
  }

  deinit { read?.wipe() }

  /// Whether it was given with the command.
  var isOption: Bool { option != nil }

  /// Whether a user typed it, so that a wrong one counts.
  private(set) var isTyped: Bool

  /// Asks for it.
  ///
  /// - Returns: whether a user answered; false too if it was given before.
  func ask(_ prompter: CommandPrompter) throws -> Bool {
    guard try bytes() == nil, prompter.isReady else { return false }
    do throws(PresenceError) {
      read = try prompter.answer(
        PresenceQuestion(.passcode, reason: "to repair the keychain"), cancellation: Cancellation())
    } catch .notInteractive {
      return false
    }
    isTyped = true
    return true
  }

  /// - Returns: nil if none is given.
  func bytes() throws -> [UInt8]? {
    if let read { return read }
    guard let option else {
      read = try EnvironmentChoices.passcode()
      return read
    }
    read = try SecretArgument.readBytes(
      option == "prompt" ? nil : option, option: "--passcode", prompt: "Passcode of the keychain: ")
    return read
  }
}

/// Asks for a passcode: by the program in `LATCHKEY_ASKPASS`, else at the terminal.
struct CommandPrompter: PresencePrompter {
  let askpass: AskpassPrompter?

  /// Whether a passcode can be asked for without blocking a script.
  var isReady: Bool { askpass != nil || TerminalQuestion.isPossible }

  func answer(_ question: PresenceQuestion, cancellation: Cancellation) throws(PresenceError) -> [UInt8] {
    guard let askpass else { return try TerminalQuestion.ask(question, cancellation: cancellation) }
    return try Interruption.withdrawing(cancellation) { () throws(PresenceError) in
      try askpass.answer(question, cancellation: cancellation)
    }
  }

  func show(_ message: String) { TerminalPrompter().show(message) }
}
