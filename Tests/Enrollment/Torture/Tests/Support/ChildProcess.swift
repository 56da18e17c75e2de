import Foundation
import LatchkeyTestSupport
import Synchronization

/// A program of this build, with a line to its standard input and output; it can be killed.
final class ChildProcess: Sendable {
  /// Its standard input and output.
  let line: CInt
  /// Its first line.
  let greeting: String
  private let process: pid_t
  private let hasEnded = Atomic<Bool>(false)

  /// Starts it, and waits for its first line.
  ///
  /// - Parameter isGuarded: whether a guard ends it with the tests, since it does not read its input.
  init(_ program: String, _ arguments: [String], isGuarded: Bool = false) throws {
    let program = try ProgramPath.built(program)
    let (path, arguments) = isGuarded ? ("/bin/sh", ["-c", Self.guarding, program] + arguments) : (program, arguments)
    // A process group of its own: its guard ends with it.
    let started = try SpawnedProgram(path, arguments, hasOwnGroup: true)
    (process, line) = (started.process, started.line)
    // A process that says nothing for a minute has not started: its guard still holds the line.
    Self.setPatience(of: line, seconds: 60)
    var first: [UInt8] = []
    var byte: UInt8 = 0
    while read(line, &byte, 1) == 1, byte != UInt8(ascii: "\n") { first.append(byte) }
    Self.setPatience(of: line, seconds: 0)
    greeting = String(decoding: first, as: UTF8.self)
  }

  deinit {
    kill()
    close(line)
  }

  /// Ends it at once, whatever it does.
  func kill() {
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    Glibc.kill(-process, SIGKILL)
    var status: CInt = 0
    waitpid(process, &status, 0)
  }

  /// Asks it to end, and waits until it has: a minute at most, then it is killed.
  ///
  /// - Returns: whether it ended by itself, with 0.
  @discardableResult func terminate() -> Bool {
    guard !hasEnded.load(ordering: .relaxed) else { return false }
    Glibc.kill(process, SIGTERM)
    var status: CInt = 0
    for _ in 0..<6_000 {
      if waitpid(process, &status, WNOHANG) == process {
        hasEnded.store(true, ordering: .relaxed)
        // Its guard.
        Glibc.kill(-process, SIGKILL)
        return status == 0
      }
      usleep(10_000)
    }
    kill()
    return false
  }

  /// Lets none of its files grow beyond so many bytes, or lets them again: what a full disk is to it. It must be guarded, since the
  /// default is to end at such a write.
  func limitFiles(to bytes: UInt64?) {
    // glibc shows it to programs that ask for GNU's extensions, which Swift does not.
    typealias Setter = @convention(c) (pid_t, CInt, UnsafePointer<rlimit>?, UnsafeMutablePointer<rlimit>?) -> CInt
    guard let symbol = dlsym(nil, "prlimit") else { return }
    let prlimit = unsafeBitCast(symbol, to: Setter.self)
    let fileSize: CInt = 1  // RLIMIT_FSIZE
    var limit = rlimit()
    guard prlimit(process, fileSize, nil, &limit) == 0 else { return }
    limit.rlim_cur = bytes.map { rlim_t($0) } ?? limit.rlim_max
    _ = prlimit(process, fileSize, &limit, nil)
  }

  /// Runs a program to its end, and gives its first line.
  static func run(_ program: String, _ arguments: [String]) throws -> String {
    let child = try ChildProcess(program, arguments)
    var byte: UInt8 = 0
    while read(child.line, &byte, 1) == 1 {}
    return child.greeting
  }

  /// Becomes the program, which gets errors for writes beyond its limit of files, and leaves a guard behind that kills it when the tests' end of the line closes, however they end.
  private static let guarding =
    "trap '' XFSZ; exec 3<&0; (while read -r line; do :; done <&3; kill -9 $$) >/dev/null & exec \"$0\" \"$@\" 3<&-"

  private static func setPatience(of line: CInt, seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }
}
