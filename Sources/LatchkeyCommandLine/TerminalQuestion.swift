import Foundation
import Glibc
package import LatchkeyKeychainModel
import LatchkeyKeychainStore
import Synchronization

/// Asks at the terminal (`TerminalPrompter`), for every command: the input is not shown, and the terminal is as it was
/// on every way out. ^C and ^\ end the command with 130; a signal ends it as it would anywhere else.
package enum TerminalQuestion {
  private static let wasCancelled = Atomic(false)

  /// Whether the user has answered a question with ^C.
  package static var isCancelled: Bool { wasCancelled.load(ordering: .relaxed) }

  /// Whether a user can be asked: a command whose input and errors both go elsewhere is part of a script.
  package static var isPossible: Bool { isatty(STDIN_FILENO) == 1 || isatty(STDERR_FILENO) == 1 }

  /// Asks, and waits for a line; it is the caller's to wipe.
  package static func ask(
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

  /// Writes a line to the terminal that is asked at.
  package static func show(_ line: String) { TerminalPrompter().show(line) }

  /// The reason why an answer does not fit, and what does; shown above the question when that is asked again.
  package struct Unfit: Error {
    package let complaint: String
    package init(_ complaint: String) { self.complaint = complaint }
  }

  /// How often a question is asked at most.
  private static let tries = 3

  /// Asks for a text that is no secret until `fit` accepts it, three times in all. Blanks at its ends do not count.
  package static func answer<Value>(
    _ prompt: String, option: String, fit: (String) throws(Unfit) -> Value
  ) throws(CommandFailure) -> Value {
    var complaint: String?
    for _ in 0..<tries {
      let question = PresenceQuestion(.service(prompt, isSecret: false), reason: "", complaint: complaint)
      do throws(PresenceError) {
        guard let text = String(validating: try ask(question), as: UTF8.self) else {
          complaint = "this is not UTF-8"
          continue
        }
        do throws(Unfit) {
          return try fit(text.trimmingCharacters(in: .whitespaces))
        } catch {
          complaint = error.complaint
        }
      } catch {
        // A line that is too long.
        guard case .authenticationFailed(let text) = error else {
          throw failure(error, option: option, absence: "\(option) is missing: give it on the command line")
        }
        complaint = text
      }
    }
    throw CommandFailure(.usage, "\(option): \(complaint ?? "no answer fits"): start again")
  }

  /// How a command ends at a question that was not answered.
  package static func failure(_ error: PresenceError, option: String, absence: String) -> CommandFailure {
    switch error {
    case .notInteractive: CommandFailure(.usage, absence)
    case .userCancel, .appCancel, .systemCancel: CommandFailure(.interrupted, "\(option): canceled")
    default: CommandFailure(.usage, "\(option): \(error)")
    }
  }
}
