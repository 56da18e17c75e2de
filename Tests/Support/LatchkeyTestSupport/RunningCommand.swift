package import Foundation
import Glibc

/// A running `latchkey`, or another program of this package, whose lines the test reads.
///
/// Unchecked: the process is only started and signaled here, and `lines` is read by one task at a time.
package final class RunningCommand: @unchecked Sendable {
  private let process = TestProcess()
  private let input = Pipe()
  private var iterator: AsyncStream<String>.Iterator
  /// The lines that were read from it so far.
  package private(set) var lines: [String] = []

  /// Starts it with `arguments`.
  ///
  /// - Parameters:
  ///   - folder: the parent of its state's folder (`LATCHKEY_STATE`), which is called `name`.
  ///   - environment: what is added to this process's environment.
  ///   - errors: where its standard error goes; nil for this process's.
  package init(
    _ arguments: [String], of program: String = "latchkey", state folder: URL, named name: String = UUID().uuidString,
    environment: [String: String] = [:], errors: FileHandle? = nil
  ) throws {
    process.executableURL = URL(fileURLWithPath: try ProgramPath.built(program))
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["LATCHKEY_STATE": folder.appendingPathComponent(name).path]
    ) { $1 }.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = input
    if let errors { process.standardError = errors }
    let (stream, continuation) = AsyncStream<String>.makeStream()
    iterator = stream.makeAsyncIterator()
    try process.start()
    Thread.detachNewThread {
      var rest: [UInt8] = []
      while true {
        let chunk = output.fileHandleForReading.availableData
        guard !chunk.isEmpty else { break }
        rest += chunk
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeSubrange(...end)
        }
      }
      continuation.finish()
    }
  }

  /// Terminates it if the test has not.
  deinit { terminate() }

  /// Reads up to the first line that contains `text`; false if the output ends before.
  package func wait(for text: String) async -> Bool {
    while let line = await next() { if line.contains(text) { return true } }
    return false
  }

  /// Types a line.
  package func type(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

  /// Reads to the end, and returns the exit status.
  package func end() async throws -> Int32 {
    try? input.fileHandleForWriting.close()
    while await next() != nil {}
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Sends SIGINT.
  package func interrupt() { process.interrupt() }

  /// Sends SIGTERM, unless it has ended.
  package func terminate() { if process.isRunning { process.terminate() } }

  /// Sends SIGKILL.
  package func kill() { process.kill() }

  /// Sends SIGSTOP: it does nothing until `resume()`.
  package func pause() { process.signal(SIGSTOP) }

  /// Sends SIGCONT.
  package func resume() { process.signal(SIGCONT) }

  private func next() async -> String? {
    guard let line = await iterator.next(isolation: nil) else { return nil }
    lines.append(line)
    return line
  }
}
