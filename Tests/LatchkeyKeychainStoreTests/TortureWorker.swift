import Foundation
import LatchkeyTestSupport
import keychain_worker

/// A `keychain-worker` at work: its lines come in, it can be killed.
final class TortureWorker {
  private let process: pid_t
  /// Its standard input and output.
  private let line: CInt
  private var buffer: [UInt8] = []
  private var hasEnded = false

  init(_ arguments: [String]) throws {
    let started = try SpawnedProgram(ProgramPath.built("keychain-worker"), arguments)
    (process, line) = (started.process, started.line)
  }

  deinit {
    end(killing: true)
    close(line)
  }

  /// Its next line; nil at its end. A line that is none of a worker's, or of an error, is an error here.
  func next() throws -> WorkerLine? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let text = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeFirst(end + 1)
        switch WorkerLine(text) {
        case .error(let text): throw TortureFailure(description: "the worker says: \(text)")
        case let said?: return said
        case nil: throw TortureFailure(description: "the worker writes: \(text)")
        }
      }
      guard fill() else { return nil }
    }
  }

  /// All lines until its end.
  func rest() throws -> [WorkerLine] {
    // One pass over all bytes: a long history is not searched from its begin for each line.
    while fill() {}
    let lines = buffer.split(separator: UInt8(ascii: "\n"))
    buffer = []
    return try lines.map {
      let text = String(decoding: $0, as: UTF8.self)
      guard let line = WorkerLine(text) else { throw TortureFailure(description: "the worker writes: \(text)") }
      if case .error(let text) = line { throw TortureFailure(description: "the worker says: \(text)") }
      return line
    }
  }

  /// Gives it the line that it waits for.
  func go() { _ = write(line, "go\n", 3) }

  /// Has it do something, and gives the number that it answers with.
  @discardableResult
  func perform(_ words: String) throws -> Int {
    let bytes = Array((words + "\n").utf8)
    _ = write(line, bytes, bytes.count)
    guard case .done(let number)? = try next() else {
      throw TortureFailure(description: "the worker does not answer to \(words)")
    }
    return number
  }

  /// Kills it.
  func kill() { end(killing: true) }

  /// Ends its input, so that it comes to its end, and waits for that.
  func finish() throws {
    shutdown(line, CInt(SHUT_WR))
    _ = try rest()
    end(killing: false)
  }

  /// Lets it run for so long, whatever it writes, and kills it.
  func kill(afterMicroseconds delay: Int) {
    let deadline = ContinuousClock.now + .microseconds(delay)
    while ContinuousClock.now < deadline {}
    end(killing: true)
  }

  /// Whether it ended by itself, without an error.
  func endedWell() -> Bool {
    guard !hasEnded else { return false }
    hasEnded = true
    var status: CInt = 0
    waitpid(process, &status, 0)
    return status == 0
  }

  /// Waits for its end, and gives the signal by which it ended; nil if it ended by itself.
  func endingSignal() -> CInt? {
    guard !hasEnded else { return nil }
    hasEnded = true
    var status: CInt = 0
    waitpid(process, &status, 0)
    return status & 0x7F == 0 ? nil : status & 0x7F
  }

  private func end(killing: Bool) {
    guard !hasEnded else { return }
    hasEnded = true
    if killing { Foundation.kill(process, SIGKILL) }
    var status: CInt = 0
    waitpid(process, &status, 0)
  }

  private func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = read(line, &chunk, chunk.count)
    if count > 0 { buffer += chunk.prefix(count) }
    return count > 0
  }
}
