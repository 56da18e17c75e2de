import Glibc
import LatchkeyKeychainModel
import LatchkeyProcessEnvironment
import Synchronization

/// A program that was started to ask, until its end was seen.
final class AskpassProgram: Sendable {
  enum End: Hashable, Sendable {
    case exited(CInt)
    /// By a signal, or nobody knows how.
    case ended
  }

  private let number: pid_t
  /// Whether the number still is the program's: its status was not taken yet.
  private let isThere = Mutex(true)

  /// Starts it with `question` as its one argument, and its standard output at `output`.
  ///
  /// - Throws: `.notInteractive`, naming the variable.
  init(path: String, question: String, output: CInt) throws(PresenceError) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)

    // Signals as a fresh program has them: servers often block or ignore some.
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

  /// Kills it, whatever it does. Any thread may.
  func kill() {
    isThere.withLock { isThere in
      if isThere { _ = Glibc.kill(number, SIGKILL) }
    }
  }

  /// Waits for its end.
  func wait() -> End {
    var information = siginfo_t()
    // Its number is given back only under the lock: until then a late `kill()` meets nobody else.
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
