import LatchkeyTestSupport
import Foundation
import Synchronization

/// A process that answers lines with lines, many at once, and can be killed.
final class WorkerProcess: Sendable {
  private struct State {
    var next = 1
    var waiting: [Int: CheckedContinuation<String?, Never>] = [:]
    var hasEnded = false
  }

  private let child: ChildProcess
  private let state = Mutex(State())

  /// Starts it, and waits until it says that it is ready.
  init(_ arguments: [String]) throws {
    child = try ChildProcess("store-worker", arguments)
    guard child.greeting == "ready" else { throw TortureFailure("the worker does not start: \(child.greeting)") }
    Thread.detachNewThread { self.listen() }
  }

  /// Its answer to a line; nil if it ends before.
  func ask(_ text: String) async -> String? {
    await withCheckedContinuation { (caller: CheckedContinuation<String?, Never>) in
      let number: Int? = state.withLock { state in
        guard !state.hasEnded else { return nil }
        state.next += 1
        state.waiting[state.next] = caller
        return state.next
      }
      guard let number else { return caller.resume(returning: nil) }
      let bytes = Array("\(number) \(text)\n".utf8)
      // A line is far shorter than the socket's buffer; if it does not go out, the end is near, and found by the listener.
      _ = Glibc.send(child.line, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }
  }

  /// Ends it at once, whatever it does.
  func kill() { child.kill() }

  /// Asks it to end, and waits until it has; whether it did by itself, with 0.
  func terminate() -> Bool { child.terminate() }

  /// Lets none of its files grow beyond so many bytes, or lets them again.
  func limitFiles(to bytes: UInt64?) { child.limitFiles(to: bytes) }

  private func listen() {
    var buffer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(child.line, &chunk, chunk.count)
      guard count > 0 else { break }
      buffer += chunk.prefix(count)
      while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        take(String(decoding: buffer[..<end], as: UTF8.self))
        buffer.removeFirst(end + 1)
      }
    }
    let waiting = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for caller in waiting { caller.resume(returning: nil) }
  }

  private func take(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2, let number = Int(words[0]) else { return }
    state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: words[1])
  }
}
