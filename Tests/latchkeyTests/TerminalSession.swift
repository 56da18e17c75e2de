import LatchkeyTestSupport
import Foundation
import Glibc
import Testing

/// A built program on a pseudo-terminal that controls it, started by a shell: questions are answered as a user types, and
/// ^C is the terminal's. The shell reports the status, and its terminal's settings afterwards.
final class TerminalSession {
  /// All that stood on the screen.
  private(set) var screen = ""
  /// The shell's report: the program's number, its status, the terminal's settings.
  private var reported = ""
  /// How many bytes of the screen were passed.
  private var passed = 0
  private let master: CInt
  private let report: Pipe
  private let shell: pid_t

  /// `TIOCSPTLCK`, `TIOCGPTN`, and posix_spawn's flag for a session of its own.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430
  private static let newSession: Int16 = 0x80

  /// The traps keep the shell from ending with the program; they do not reach that.
  private static let script = """
    cd -- "$0"
    trap : HUP INT QUIT TERM
    sh -c 'echo $$ >&3; exec "$@" 3>&-' sh "$@"
    echo $? >&3
    stty -a </dev/tty >&3
    """

  /// - Parameters:
  ///   - input: standard input, if it is not the terminal.
  ///   - typedAhead: what is typed before the program starts.
  init(
    _ arguments: [String], program: URL = BuiltCommand.program, folder: URL, environment: [String: String],
    input: String? = nil, typedAhead: String? = nil
  ) throws {
    // As posix_openpt, unlockpt and ptsname do, which Swift does not see (ioctl_tty(2)).
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(master >= 0)
    var number: CInt = 0
    try #require(ioctl(master, Self.setLock, &number) == 0 && ioctl(master, Self.getNumber, &number) == 0)
    let path = "/dev/pts/\(number)"
    // A terminal that no process has open loses its output.
    let held = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(held) }
    if let typedAhead {
      var bytes = Array(typedAhead.utf8)
      try #require(held >= 0 && write(master, &bytes, bytes.count) == bytes.count)
    }
    report = Pipe()

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that the leader of a session opens is the one that controls it.
    posix_spawn_file_actions_addopen(&actions, 2, path, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 2, 1)
    if let input {
      posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    } else {
      posix_spawn_file_actions_adddup2(&actions, 2, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, report.fileHandleForWriting.fileDescriptor, 3)
    try TestProcess.closeFiles(from: 4, in: &actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The test's own process may ignore some, or block some.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Self.newSession | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    let words = (["sh", "-c", Self.script, folder.path, program.path] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, "/bin/sh", &actions, &attributes, words, variables)
    shell = process
    try #require(code == 0, "\(String(cString: strerror(code)))")
    try report.fileHandleForWriting.close()
  }

  deinit {
    if let program { kill(program, SIGKILL) }
    kill(shell, SIGKILL)
    waitpid(shell, nil, 0)
    close(master)
  }

  /// Waits for `prompt`.
  func wait(for prompt: String) throws {
    let seen = screen.count
    while !screen.dropFirst(seen).contains(prompt) { try #require(read(), "no \(prompt) on \(screen)") }
  }

  /// Waits for `text` behind what was passed before.
  func pass(_ text: String) throws {
    while true {
      if let range = screen.utf8.dropFirst(passed).firstRange(of: text.utf8) {
        passed = screen.utf8.distance(from: screen.utf8.startIndex, to: range.upperBound)
        return
      }
      try #require(read(), "no \(text) on \(screen)")
    }
  }

  /// Types `text`.
  func type(_ text: String) {
    var bytes = Array(text.utf8)
    _ = write(master, &bytes, bytes.count)
  }

  /// Waits for `prompt`, then types `answer` and Return.
  func answer(_ prompt: String, with answer: String) throws {
    try wait(for: prompt)
    type("\(answer)\n")
  }

  /// Sends the program, not its shell, a signal.
  func signal(_ signal: Int32) throws {
    while program == nil { try #require(read()) }
    kill(try #require(program), signal)
  }

  /// Reads to the end, and returns the status as a shell sees it: after a signal 128 and its number.
  func end() -> Int32 {
    while read() {}
    return lines.dropFirst().first.flatMap { Int32($0) } ?? -1
  }

  /// The same, and types what `answer` returns for what was shown since the last time.
  func end(answering answer: (_ shown: String) -> String?) -> Int32 {
    var seen = 0
    while read() {
      guard let text = answer(String(screen.dropFirst(seen))) else { continue }
      seen = screen.count
      type("\(text)\n")
    }
    return end()
  }

  /// Whether the terminal, once the program has ended, echoes, reads lines and makes signals of keys.
  var isAsBefore: Bool {
    let settings = Set(lines.dropFirst(2).joined(separator: " ").split(separator: " "))
    return ["echo", "icanon", "isig"].allSatisfy { settings.contains($0) }
  }

  private var lines: [Substring] { reported.split(separator: "\n") }
  private var program: pid_t? { lines.first.flatMap { pid_t($0) } }

  /// Reads what is there from either; false at the report's end, which is the shell's.
  private func read() -> Bool {
    let reporting = report.fileHandleForReading.fileDescriptor
    var waited = [
      pollfd(fd: master, events: Int16(POLLIN), revents: 0), pollfd(fd: reporting, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&waited, 2, -1) < 0 {}
    let isShown = waited[0].revents & Int16(POLLIN) != 0
    if isShown, let text = text(master) { screen += text }
    guard waited[1].revents != 0, !isShown else { return true }
    guard let text = text(reporting) else { return false }
    reported += text
    return true
  }

  private func text(_ file: CInt) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
