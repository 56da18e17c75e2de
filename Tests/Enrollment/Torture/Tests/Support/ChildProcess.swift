import Foundation
import Synchronization

/// A program of this build, with a line to its standard input and output; it can be killed.
final class ChildProcess: Sendable {
  /// Its standard input and output.
  let line: CInt
  /// What it said first.
  let greeting: String
  private let process: pid_t
  private let hasEnded = Atomic<Bool>(false)

  /// Starts it, and waits for its first line.
  init(_ program: String, _ arguments: [String]) throws {
    let path = try Self.path(program)
    // Close-on-exec from the first moment: another program, started just now, must not keep this one's line open.
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
    greeting = String(decoding: first, as: UTF8.self)
  }

  deinit {
    kill()
    close(line)
  }

  /// Ends it at once, whatever it does.
  func kill() {
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    Glibc.kill(process, SIGKILL)
    var status: CInt = 0
    waitpid(process, &status, 0)
  }

  /// The build puts programs beside the tests' bundle.
  private static func path(_ program: String) throws -> String {
    let bundle = CommandLine.arguments.map { URL(filePath: $0) }.first { $0.pathExtension == "xctest" }
    guard let folder = bundle?.deletingLastPathComponent() else {
      throw TortureFailure("the tests' bundle is not among the arguments")
    }
    return folder.appending(path: program).path
  }
}
