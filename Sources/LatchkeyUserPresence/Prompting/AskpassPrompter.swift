import LatchkeyByteCoding
import LatchkeyEnclaveKeys
public import LatchkeyKeychainModel
import LatchkeyProcessEnvironment
import LatchkeySystem

/// Prompts by a program, as `ssh` does: the program gets the question as its only argument, writes the answer as the first line
/// of its standard output and exits with 0. Any other status means that the user has canceled.
///
/// The program is started without a shell, with this process's environment, standard error and terminal, and with empty
/// standard input. When the call is canceled it is killed; its children are not. Its answer has at most 1024 bytes.
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
    let wakeUp = try TerminalPrompter.wakeUp()
    let program = try start(question)
    var line = AnswerLine(maximum: Self.maximumAnswer)
    defer { line.wipe() }
    let end = cancellation.withHandler(onCancel: {
      program.kill()
      wakeUp.signal()
    }) {
      var count = 0
      program.read(until: wakeUp) { piece in
        line.append(piece)
        count += piece.count
        if count > Self.maximumAnswer + Self.maximumRest { program.kill() }
        return count <= Self.maximumAnswer + Self.maximumRest
      }
      return program.wait()
    }
    if cancellation.isCancelled { throw .appCancel }
    switch end {
    case .exited(0): break
    case .exited: throw .userCancel
    case .killed, .late, .unknown: throw .systemCancel
    }
    guard !line.isTooLong else {
      throw .authenticationFailed(
        "what LATCHKEY_ASKPASS (\(path)) writes is longer than \(Self.maximumAnswer) bytes: it is to write one line")
    }
    return line.bytes
  }

  /// Does nothing, because such a program can only prompt.
  public func show(_ message: String) {}

  /// - Throws: `.notInteractive`, naming the variable.
  private func start(_ question: PresenceQuestion) throws(PresenceError) -> SpawnedProgram {
    do throws(SystemError) {
      // Programs that ask at the terminal need this process's session and group.
      return try SpawnedProgram(
        ProgramConfiguration(
          path: path, arguments: [question.text], environment: Environment.forPrograms, output: .captured,
          isolation: .none, inheritsFiles: true))
    } catch {
      throw .notInteractive(
        "the program in LATCHKEY_ASKPASS, \(path), cannot be run (\(error.text)): name one that can")
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
