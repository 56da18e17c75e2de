import Foundation
import LatchkeyCommandLine
import LatchkeyProcessEnvironment

/// The program that applies credentials: it reads them from its standard input, and its exit status is the answer.
struct ApplyProgram: Sendable {
  private let url: URL

  /// The program at `path`, or of that name in PATH.
  ///
  /// - Throws: `usage` if there is none that can be run.
  init(_ path: String) throws(CommandFailure) {
    let candidates = path.contains("/") ? [path] : Environment.programFolders.map { "\($0)/\(path)" }
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw CommandFailure(.usage, "--apply: \(path) is no program that can be run")
    }
    url = URL(fileURLWithPath: found)
  }

  /// Runs the program with `input`, and returns whether it ended with 0. Cancelling the task terminates it.
  ///
  /// What it prints goes to standard error: standard output is the command's own.
  func run(input: String) async -> Bool {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = url
    process.standardInput = pipe
    process.standardOutput = FileHandle.standardError
    do {
      // Credentials fit what a pipe holds, so this neither blocks nor meets a program that does not read.
      try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try pipe.fileHandleForWriting.close()
    } catch {
      return false
    }
    let started = StartedProcess(process)
    let hasEnded = await withTaskCancellationHandler {
      await started.run()
    } onCancel: {
      started.terminate()
    }
    return hasEnded && process.terminationReason == .exit && process.terminationStatus == 0
  }
}

/// Unchecked: the process is started once, and thereafter only terminated, under the lock.
private final class StartedProcess: @unchecked Sendable {
  private let process: Process
  private let lock = NSLock()
  private var isCancelled = false

  init(_ process: Process) { self.process = process }

  /// Starts it and waits for its end; false if it could not be started.
  func run() async -> Bool {
    await withCheckedContinuation { continuation in
      process.terminationHandler = { _ in continuation.resume(returning: true) }
      let hasStarted = lock.withLock { () -> Bool in
        guard !isCancelled else { return false }
        do {
          try process.run()
          return true
        } catch {
          return false
        }
      }
      if !hasStarted {
        process.terminationHandler = nil
        continuation.resume(returning: false)
      }
    }
  }

  func terminate() {
    lock.withLock {
      isCancelled = true
      if process.isRunning { process.terminate() }
    }
  }
}
