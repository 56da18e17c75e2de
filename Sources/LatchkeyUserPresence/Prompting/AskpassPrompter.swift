import Glibc
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
public import LatchkeyKeychainModel

/// Prompts by a program, as `ssh` does: the program gets the question as its only argument, writes the answer as the first line
/// of its standard output and exits with 0. Any other status means that the user has cancelled.
///
/// The program is started without a shell, with this process's environment, standard error and terminal, and with empty
/// standard input. When the call is cancelled it is killed; its children are not. Its answer has at most 1024 bytes.
public struct AskpassPrompter: PresencePrompter {
  /// The program's path.
  public let path: String

  /// The limit of an answer, in bytes.
  static let maximumAnswer = 1024
  /// The limit of output after the first line, in bytes; beyond it the program is killed.
  private static let maximumRest = 64 * 1024

  /// Creates a prompter for the program at this path; `PATH` is not searched.
  public init(path: String) { self.path = path }

  /// Runs the program.
  public func answer(
    _ question: PresenceQuestion, cancellation: Cancellation
  ) throws(PresenceError) -> [UInt8] {
    if cancellation.isCancelled { throw .appCancel }
    let (output, wake) = (try WakePipe(), try WakePipe(flags: O_NONBLOCK))
    let program = try AskpassProgram(path: path, question: question.text, output: output.writing)
    // From here on only the program has the write end open, so its exit ends the reading.
    output.closeWriting()
    var line = AnswerLine(maximum: Self.maximumAnswer)
    defer { line.wipe() }
    let end = cancellation.withHandler(onCancel: {
      program.kill()
      wake.wake()
    }) {
      read(output.reading, until: wake.reading, program, &line)
      return program.wait()
    }
    if cancellation.isCancelled { throw .appCancel }
    switch end {
    case .exited(0): break
    case .exited: throw .userCancel
    case .ended: throw .systemCancel
    }
    guard !line.isTooLong else {
      throw .authenticationFailed(
        "what LATCHKEY_ASKPASS (\(path)) writes is longer than \(Self.maximumAnswer) bytes: it is to write one line")
    }
    return line.bytes
  }

  /// Does nothing, because such a program can only prompt.
  public func show(_ message: String) {}

  /// Reads until the program closes its end or exits, or the call is cancelled.
  private func read(_ output: CInt, until wake: CInt, _ program: AskpassProgram, _ line: inout AnswerLine) {
    var rest = 0
    var buffer = [UInt8](repeating: 0, count: 512)
    defer { buffer.wipe() }
    while true {
      var waited = [
        pollfd(fd: output, events: Int16(POLLIN), revents: 0), pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&waited, 2, -1) < 0 {
        if errno == EINTR { continue }
        return
      }
      if waited[1].revents != 0 { return }
      let count = Glibc.read(output, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      line.append(buffer.prefix(count))
      rest += count
      if rest > Self.maximumAnswer + Self.maximumRest { return program.kill() }
    }
  }
}

/// The first line of a program's output.
struct AnswerLine {
  private(set) var bytes: [UInt8] = []
  private(set) var isTooLong = false
  private var isComplete = false
  private let maximum: Int

  init(maximum: Int) {
    self.maximum = maximum
    // Never reallocated, so that no copy of the secret remains.
    bytes.reserveCapacity(maximum + 1)
  }

  mutating func append(_ more: some Sequence<UInt8>) {
    for byte in more where !isComplete {
      if byte == UInt8(ascii: "\n") {
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        isComplete = true
      } else if bytes.count == maximum {
        isTooLong = true
        isComplete = true
      } else {
        bytes.append(byte)
      }
    }
  }

  mutating func wipe() { bytes.wipe() }
}
