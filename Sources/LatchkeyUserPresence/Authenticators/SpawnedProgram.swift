import Dispatch
import Foundation
import Glibc
import LatchkeyKeychainModel
import LatchkeyProcessEnvironment
import Synchronization

/// A child program without a shell or standard input, in its own session, so that it can be killed together with its children.
final class SpawnedProgram: Sendable {
  /// How the program ended.
  enum Ending: Hashable, Sendable {
    case exited(Int32)
    case killed(Int32)
    /// It was killed because it exceeded its time limit.
    case late
    /// Its status was reaped by other code.
    case unknown
  }

  private struct State {
    /// Whether the process ID still belongs to the program.
    var isThere = true
    var isLate = false
  }
  private typealias CloseFrom =
    @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt
  private let process: pid_t
  private let output: CInt?
  private let state = Mutex(State())

  /// Starts the program.
  ///
  /// - Parameter reason: stored in the program's environment, truncated below the environment's limit.
  init(path: String, arguments: [String], reason: String?, keepsOutput: Bool) throws(PresenceError) {
    let libc = try DynamicLibrary.c
    let pipe2 = try libc.function("pipe2", (@convention(c) (UnsafeMutablePointer<CInt>, CInt) -> CInt).self)
    let closeFrom = try libc.function("posix_spawn_file_actions_addclosefrom_np", CloseFrom.self)
    var pipe: [CInt] = [-1, -1]
    if keepsOutput, pipe2(&pipe, O_CLOEXEC) != 0 {
      throw .biometryNotAvailable("\(path) cannot be started: \(String(cString: strerror(errno)))")
    }
    defer { if pipe[1] >= 0 { close(pipe[1]) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if keepsOutput {
      posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    _ = closeFrom(&actions, 3)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Restores default signal handling: Swift programs and servers often block or ignore some signals.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGCHLD)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | Self.newSession)

    var environment = Environment.forPrograms
    environment["LATCHKEY_REASON"] = reason.map {
      String(decoding: $0.utf8.prefix(4096).filter { $0 != 0 }, as: UTF8.self)
    }
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    defer { for text in words { free(text) } }
    words.append(nil)
    var process: pid_t = 0
    let code = ProgramStart.spawn(&process, path, &actions, &attributes, words, environment)
    guard code == 0 else {
      if keepsOutput { close(pipe[0]) }
      throw .biometryNotAvailable(
        "\(path) cannot be started (\(String(cString: strerror(code)))): start it by hand to see why")
    }
    self.process = process
    output = keepsOutput ? pipe[0] : nil
  }

  deinit { if let output { close(output) } }

  /// `POSIX_SPAWN_SETSID` of spawn.h, which the importer omits.
  private static let newSession: Int16 = 0x80

  /// Kills the program and the remaining processes of its group. May be called on any thread.
  func kill() {
    state.withLock { state in
      if state.isThere { _ = Glibc.kill(-process, SIGKILL) }
    }
  }

  /// Waits until the program ends.
  func wait() -> Ending {
    var information = siginfo_t()
    // The process ID is released only under the lock, so that a late `kill()` cannot hit another process.
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0 {
      if errno == EINTR { continue }
      return state.withLock { state in
        state.isThere = false
        return .unknown
      }
    }
    return state.withLock { state in
      // The remaining processes of its group are killed with it.
      _ = Glibc.kill(-process, SIGKILL)
      var status: CInt = 0
      while waitpid(process, &status, 0) < 0 {
        if errno == EINTR { continue }
        state.isThere = false
        return .unknown
      }
      state.isThere = false
      if state.isLate { return .late }
      return status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(status & 0x7F)
    }
  }

  /// Reads the output, at most one byte more than `maximum`, and waits for the end. The program is killed after `seconds`, or
  /// if it writes too much.
  func output(maximum: Int, seconds: Int) -> ([UInt8], Ending) {
    let limit = DispatchWorkItem { [self] in
      state.withLock { $0.isLate = $0.isThere }
      kill()
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds), execute: limit)
    defer { limit.cancel() }
    let end = ContinuousClock.now + .seconds(seconds + 1)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1024)
    while let output, bytes.count <= maximum {
      // A process that left the group may hold the pipe open after the program has ended.
      var waited = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let left = (end - ContinuousClock.now) / .milliseconds(1)
      guard left > 0 else { break }
      let ready = poll(&waited, 1, CInt(left.rounded(.up)))
      if ready < 0 && errno == EINTR { continue }
      guard ready > 0 else { break }
      let count = read(output, &buffer, min(buffer.count, maximum + 1 - bytes.count))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    if bytes.count > maximum {
      kill()
      _ = wait()
      return (bytes, .exited(0))
    }
    return (bytes, wait())
  }
}
