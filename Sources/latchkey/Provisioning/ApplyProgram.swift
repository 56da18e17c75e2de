import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyProcessEnvironment
import LatchkeySystem

/// The program that applies credentials: it reads them from its standard input, and its exit status is the answer.
struct ApplyProgram: Sendable {
  /// Where programs are waited for: at most four at the same time.
  private static let threads = BlockingThreads(label: "latchkey.apply", width: 4)
  private let path: String

  /// The program at `path`, or of that name in PATH.
  ///
  /// - Throws: `usage` if there is none that can be run.
  init(_ path: String) throws(CommandFailure) {
    let candidates = path.contains("/") ? [path] : Environment.programFolders.map { "\($0)/\(path)" }
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw CommandFailure(.usage, "--apply: \(path) is no program that can be run")
    }
    self.path = URL(fileURLWithPath: found).path
  }

  /// Runs the program with `input`, and returns whether it ended with 0. Canceling the task terminates it.
  ///
  /// What it prints goes to standard error: standard output is the command's own.
  func run(input: String) async -> Bool { await status(input: input) == 0 }

  /// Runs the program with `input`, and returns the status that it ended with; nil if it could not be started, or a signal ended it.
  func status(input: String) async -> Int32? {
    guard !Task.isCancelled, let program = start(input) else { return nil }
    let end = await withTaskCancellationHandler {
      await Self.threads.run { program.wait() }
    } onCancel: {
      program.signal(SIGTERM)
    }
    guard case .exited(let status) = end else { return nil }
    return status
  }

  /// Nil if the program cannot be started, or does not get all of `input`.
  private func start(_ input: String) -> SpawnedProgram? {
    var bytes = Array(input.utf8)
    defer { bytes.wipe() }
    // Services that the program starts go on without it: it has a group, and no session, of its own.
    let configuration = ProgramConfiguration(
      path: path, environment: Environment.forPrograms, output: .standardError, isolation: .group)
    return try? SpawnedProgram(configuration, input: bytes)
  }
}
