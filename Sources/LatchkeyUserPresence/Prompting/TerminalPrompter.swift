import Glibc
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
public import LatchkeyKeychainModel
import LatchkeySystem

/// Prompts at the terminal from which the process was started, regardless of its standard streams. Input is not echoed, and the
/// terminal is restored on every exit: an answer, ^C, a canceled call, a signal that ends the process (except SIGKILL, which
/// cannot be handled).
///
/// During a prompt, ^C and ^\ cancel the question and do not act as signals. A process asks one question at a time. Lines typed
/// ahead answer questions with visible answers; before and after a secret they are discarded, as by getpass(3).
public struct TerminalPrompter: PresencePrompter {
  /// The limit of an answer, in bytes.
  static let maximumAnswer = 1024
  private static let turns = PromptTurns()
  private let path: String

  /// Uses the process's controlling terminal, or else a terminal that is its standard input or standard error: the shell of a
  /// serial console often has no controlling terminal.
  public init() {
    path = ["/dev/tty", "/dev/stdin", "/dev/stderr"].first(where: Terminal.isThere) ?? "/dev/tty"
  }

  /// Uses the terminal at this path.
  init(path: String) { self.path = path }

  /// Shows the question, and waits for a line.
  public func answer(
    _ question: PresenceQuestion, cancellation: Cancellation
  ) throws(PresenceError) -> [UInt8] {
    try Self.turns.take(cancellation)
    defer { Self.turns.give() }
    while true {
      if let answer = try attempt(question, cancellation) { return answer }
    }
  }

  /// Prompts once.
  ///
  /// - Returns: nil if the process was stopped meanwhile and continued, as by `fg`: the question is shown again, and the next
  ///   input answers it.
  private func attempt(
    _ question: PresenceQuestion, _ cancellation: Cancellation
  ) throws(PresenceError) -> [UInt8]? {
    let wake = try Self.wakeUp()
    let terminal = try Terminal(path)
    let signals = PromptSignals(wake)
    let result = Result { () throws(PresenceError) in
      try cancellation.withHandler(onCancel: wake.signal) { () throws(PresenceError) in
        try terminal.ask(question, until: wake, maximum: Self.maximumAnswer)
      }
    }
    // The terminal is restored before the signal, which may end the process.
    terminal.restore()
    let signal = signals.endAndRaise()
    switch result {
    case .success(var answer):
      if cancellation.isCancelled {
        answer.wipe()
        throw .appCancel
      }
      return answer
    case .failure(let error):
      if cancellation.isCancelled { throw .appCancel }
      if signal == SIGTSTP, error == .systemCancel { return nil }
      throw error
    }
  }

  /// - Throws: `.notInteractive`, if the process has no descriptor left.
  static func wakeUp() throws(PresenceError) -> WakeUp {
    do throws(SystemError) {
      return try WakeUp()
    } catch {
      throw .notInteractive("nobody can be asked, since the process has no descriptor left: let it open fewer files")
    }
  }

  /// Writes a line to the terminal, if there is one.
  public func show(_ message: String) {
    let terminal = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    guard terminal >= 0 else { return }
    defer { close(terminal) }
    guard isatty(terminal) == 1 else { return }
    Terminal.write(PrintableText.oneLine(message) + "\n", to: terminal)
  }
}
