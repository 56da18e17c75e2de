import Glibc
import KeychainModel
import KeychainStore
import Synchronization

/// How every command asks at the terminal (`TerminalPrompter`): what is typed is not shown, and the terminal is as it was
/// on every way out. ^C and ^\ end the command with 130; a signal ends it as it would anywhere else.
enum TerminalQuestion {
  private static let wasCancelled = Atomic(false)

  /// Whether the user has answered a question with ^C.
  static var isCancelled: Bool { wasCancelled.load(ordering: .relaxed) }

  /// Whether somebody sits there: a command whose input and errors both go elsewhere is part of a script.
  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 || isatty(STDERR_FILENO) == 1 }

  /// Asks, and waits for a line; it is the caller's to wipe.
  static func ask(
    _ question: PresenceQuestion, cancellation: Cancellation = Cancellation()
  ) throws(PresenceError) -> [UInt8] {
    // Swift's own handler would print what is in memory, and ask at the terminal itself.
    signal(SIGQUIT, SIG_DFL)
    do throws(PresenceError) {
      return try Interruption.withdrawing(cancellation) { () throws(PresenceError) in
        try TerminalPrompter().answer(question, cancellation: cancellation)
      }
    } catch {
      if error == .userCancel { wasCancelled.store(true, ordering: .relaxed) }
      throw error
    }
  }
}
