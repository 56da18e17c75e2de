import Glibc
import LatchkeyKeychainModel
import LatchkeyProcessEnvironment
import Synchronization

/// A running askpass program, until its status is reaped.
final class AskpassProgram: Sendable {
  enum End: Hashable, Sendable {
    case exited(CInt)
    /// It was killed by a signal, or its status is unknown.
    case ended
  }

  private let number: pid_t
  /// Whether the process ID is still the program's: its status was not reaped yet.
  private let isThere = Mutex(true)

  /// Starts the program with `question` as its only argument, and `output` as its standard output.
  ///
  /// - Throws: `.notInteractive`, naming the variable.
  init(path: String, question: String, output: CInt) throws(PresenceError) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)

    // Restores default signal handling: servers often block or ignore some signals.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))

    let words: [UnsafeMutablePointer<CChar>?] = [strdup(path), strdup(question), nil]
    defer { for word in words { free(word) } }
    var number: pid_t = 0
    let code = ProgramStart.spawn(&number, path, &actions, &attributes, words, Environment.forPrograms)
    guard code == 0 else {
      throw .notInteractive(
        "the program in LATCHKEY_ASKPASS, \(path), cannot be run (\(String(cString: strerror(code)))): name one that can"
      )
    }
    self.number = number
  }

  /// Kills the program. May be called on any thread.
  func kill() {
    isThere.withLock { isThere in
      if isThere { _ = Glibc.kill(number, SIGKILL) }
    }
  }

  /// Waits until the program ends.
  func wait() -> End {
    var information = siginfo_t()
    // The process ID is released only under the lock, so that a late `kill()` cannot hit another process.
    while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return isThere.withLock { isThere in
      isThere = false
      var status: CInt = 0
      while waitpid(number, &status, 0) < 0 {
        if errno != EINTR { return .ended }
      }
      return status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .ended
    }
  }
}
