import Foundation
import Synchronization

/// A process that answers lines with lines, many at once, and can be killed.
final class WorkerProcess: Sendable {
  private struct State {
    var next = 1
    var waiting: [Int: CheckedContinuation<String?, Never>] = [:]
    var hasEnded = false
  }

  private let process: pid_t
  private let line: CInt
  private let state = Mutex(State())

  /// Starts it, and waits until it says that it is ready.
  init(_ arguments: [String]) throws {
    let path = try Self.path("store-worker")
    var ends: [CInt] = [0, 0]
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw TortureFailure("no socket pair") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    let code = posix_spawn(&process, path, &actions, nil, &words, environ)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw TortureFailure("\(path): \(String(cString: strerror(code)))")
    }
    self.process = process
    line = ends[0]
    var first: [UInt8] = []
    var byte: UInt8 = 0
    while read(line, &byte, 1) == 1, byte != UInt8(ascii: "\n") { first.append(byte) }
    guard first == Array("ready".utf8) else {
      kill()
      throw TortureFailure("the worker does not start: \(String(decoding: first, as: UTF8.self))")
    }
    Thread.detachNewThread { self.listen() }
  }

  deinit { close(line) }

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
      _ = Glibc.send(line, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }
  }

  /// Ends it at once, whatever it does.
  func kill() {
    Glibc.kill(process, SIGKILL)
    var status: CInt = 0
    waitpid(process, &status, 0)
  }

  private func listen() {
    var buffer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(line, &chunk, chunk.count)
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

  /// The build puts programs beside the tests' bundle.
  static func path(_ program: String) throws -> String {
    let bundle = CommandLine.arguments.map { URL(filePath: $0) }.first { $0.pathExtension == "xctest" }
    guard let folder = bundle?.deletingLastPathComponent() else {
      throw TortureFailure("the tests' bundle is not among the arguments")
    }
    return folder.appending(path: program).path
  }
}
