import Glibc

/// What a ``SpawnedProgram`` is started with. Signals are as a fresh program has them: servers and Swift programs often block or
/// ignore some.
package struct ProgramConfiguration: Sendable {
  /// How far the program is from this process.
  package enum Isolation: Sendable {
    /// In the same session and process group: it may use the terminal, whose ^C reaches it.
    case none
    /// In a process group of its own: the terminal's ^C does not reach it.
    case group
    /// In a session of its own: it has no terminal, and is killed with all that it has started and left in its group.
    case session
  }

  /// Where its standard output goes. Standard error is this process's.
  package enum Output: Sendable {
    case discarded
    /// Read by ``SpawnedProgram/read(until:deadline:_:)``.
    case captured
    case standardError
  }

  /// The program's file; `PATH` is not searched.
  package var path: String
  /// Its arguments, without its name.
  package var arguments: [String]
  package var environment: [String: String]
  package var output: Output
  package var isolation: Isolation
  /// Whether it gets the open files of this process that are not marked `O_CLOEXEC`; none but the standard streams otherwise.
  package var inheritsFiles: Bool

  package init(
    path: String, arguments: [String] = [], environment: [String: String], output: Output, isolation: Isolation,
    inheritsFiles: Bool = false
  ) {
    self.path = path
    self.arguments = arguments
    self.environment = environment
    self.output = output
    self.isolation = isolation
    self.inheritsFiles = inheritsFiles
  }

  /// Starts the program.
  ///
  /// - Returns: its process number, and the end of its output that is to be read, where that is captured.
  /// - Throws: `EINVAL` for a zero character in the path, an argument or the environment: the program would get the text before
  ///   it alone.
  func spawn(input: [UInt8]) throws(SystemError) -> (process: pid_t, output: CInt?) {
    let texts = [path] + arguments + environment.map { $0.key + $0.value }
    guard texts.allSatisfy({ !$0.utf8.contains(0) }) else { throw SystemError(code: EINVAL) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let source = input.isEmpty ? nil : try Self.pipe(holding: input)
    defer { if let source { close(source) } }
    if let source {
      posix_spawn_file_actions_adddup2(&actions, source, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    let captured = output == .captured ? try Self.pipe() : nil
    defer { if let captured { close(captured.writing) } }
    switch output {
    case .discarded: posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    case .captured: if let captured { posix_spawn_file_actions_adddup2(&actions, captured.writing, STDOUT_FILENO) }
    case .standardError: posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    }
    do throws(SystemError) {
      if !inheritsFiles {
        guard let closeFrom = GNUFunctions.addCloseFrom else { throw SystemError(code: ENOSYS) }
        _ = closeFrom(&actions, STDERR_FILENO + 1)
      }
      return (try spawn(&actions), captured?.reading)
    } catch {
      if let captured { close(captured.reading) }
      throw error
    }
  }

  private func spawn(_ actions: inout posix_spawn_file_actions_t) throws(SystemError) -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let grouping: Int16 =
      switch isolation {
      case .none: 0
      case .group: Int16(POSIX_SPAWN_SETPGROUP)
      case .session: Self.newSession
      }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | grouping)

    let words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    let variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process: pid_t = 0
    var code: CInt = 0
    // A process that has just written the program's file and forks passes its descriptor on for a moment.
    for _ in 0..<Self.attempts {
      code = posix_spawn(&process, path, &actions, &attributes, words, variables)
      guard code == ETXTBSY else { break }
      usleep(Self.pause)
    }
    guard code == 0 else { throw SystemError(code: code) }
    return process
  }

  private static func pipe() throws(SystemError) -> (reading: CInt, writing: CInt) {
    guard let pipe2 = GNUFunctions.pipe2 else { throw SystemError(code: ENOSYS) }
    var ends: [CInt] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemError(code: errno) }
    return (ends[0], ends[1])
  }

  /// The end of a pipe from which these bytes are read.
  private static func pipe(holding bytes: [UInt8]) throws(SystemError) -> CInt {
    let (reading, writing) = try pipe()
    defer { close(writing) }
    // A full pipe refuses the rest instead of waiting for a program that does not run yet.
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(writing, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        let code = errno == EAGAIN ? E2BIG : errno
        close(reading)
        throw SystemError(code: code)
      }
      rest = rest.dropFirst(count)
    }
    return reading
  }

  /// `POSIX_SPAWN_SETSID` of spawn.h, which the importer leaves out.
  private static let newSession: Int16 = 0x80
  private static let attempts = 50
  /// Microseconds between two attempts: a tenth of a second in all.
  private static let pause: UInt32 = 2000
}
