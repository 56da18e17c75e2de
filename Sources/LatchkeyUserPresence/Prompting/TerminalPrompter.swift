import Glibc
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
public import LatchkeyKeychainModel

/// Asks at the terminal that the process was started from, whatever its standard streams are. What is typed is not shown,
/// and the terminal is as it was before on every way out: an answer, ^C, a cancelled call, a signal that ends the process
/// (but SIGKILL, for which no program can do anything).
///
/// While it asks, ^C and ^\ cancel the question and are no signals. One question at a time is asked in a process. Lines that were
/// typed ahead answer questions whose answers are shown; before and after a secret they are thrown away, as by getpass(3).
public struct TerminalPrompter: PresencePrompter {
  /// The longest answer, in bytes.
  static let maximumAnswer = 1024
  private static let turns = PromptTurns()
  private let path: String

  /// The process's terminal: the one that controls it, or else, as in the shell of a serial console, which often has none of
  /// these, a terminal that is its standard input or standard error.
  public init() {
    path = ["/dev/tty", "/dev/stdin", "/dev/stderr"].first(where: Terminal.isThere) ?? "/dev/tty"
  }

  /// The terminal at this path.
  init(path: String) { self.path = path }

  /// Asks, and waits for a line.
  public func answer(
    _ question: PresenceQuestion, cancellation: Cancellation
  ) throws(PresenceError) -> [UInt8] {
    try Self.turns.take(cancellation)
    defer { Self.turns.give() }
    while true {
      if let answer = try attempt(question, cancellation) { return answer }
    }
  }

  /// Asks once.
  ///
  /// - Returns: nil if the process was stopped meanwhile and goes on, as by `fg`: what is typed next answers the question, which
  ///   is shown again.
  private func attempt(
    _ question: PresenceQuestion, _ cancellation: Cancellation
  ) throws(PresenceError) -> [UInt8]? {
    let wake = try WakePipe(flags: O_NONBLOCK)
    let terminal = try Terminal(path)
    let signals = PromptSignals(wake)
    let result = Result { () throws(PresenceError) in
      try cancellation.withHandler(onCancel: { wake.wake() }) { () throws(PresenceError) in
        try terminal.ask(question, until: wake.reading, maximum: Self.maximumAnswer)
      }
    }
    // First the terminal, then the signal: it may end the process.
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

  /// Writes a line to the terminal, if there is one.
  public func show(_ message: String) {
    let terminal = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    guard terminal >= 0 else { return }
    defer { close(terminal) }
    guard isatty(terminal) == 1 else { return }
    Terminal.write(PromptText.plain(message) + "\n", to: terminal)
  }
}
