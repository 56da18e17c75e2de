import Dispatch
import Glibc
import LatchkeySystem
import Testing

/// Programs in large numbers, without descriptors, and under signals. Each test changes its process, so it runs in one of its own,
/// which has no other children.
@Suite(.timeLimit(.minutes(5))) struct SpawnedProgramLimitsTests {
  @Test("A thousand programs at once leave neither a process nor a descriptor behind") func many() async {
    await #expect(processExitsWith: .success) { try ManyPrograms.thousand() }
  }

  @Test("Without a descriptor a start fails with EMFILE, and one that becomes free is enough for the next") func few()
    async
  {
    await #expect(processExitsWith: .success) { try ManyPrograms.fewDescriptors() }
  }

  @Test("Programs that start at the same time inherit no pipe of each other") func strangers() async {
    await #expect(processExitsWith: .success) { try ManyPrograms.inheritance() }
  }

  @Test("Signals that interrupt each call change no output and no status") func interrupted() async {
    await #expect(processExitsWith: .success) { try ManyPrograms.underSignals() }
  }

  @Test("An interrupt at the terminal reaches a program of the same group alone, from its start on") func interrupt()
    async
  {
    await #expect(processExitsWith: .success) { try ManyPrograms.interruptOfTheGroup() }
  }
}

/// The thread that signals interrupt; written before they come.
nonisolated(unsafe) private var interruptedThread = pthread_self()
/// How often it was interrupted; counted by that thread alone.
nonisolated(unsafe) private var interruptions = 0

/// The bodies of the tests.
private enum ManyPrograms {
  static func thousand() throws {
    setDescriptorLimit(4096)
    let before = openFiles(below: 4096).count
    var programs: [SpawnedProgram] = []
    for _ in 0..<1000 { programs.append(try sleeping()) }
    // Half of them are ended and collected; the others are dropped while they run.
    for program in programs.prefix(500) { program.kill() }
    let endings = Set(programs.prefix(500).map { $0.wait() })
    #expect(endings == [.killed(SIGKILL)])
    programs = []
    // The test's own runtime may open some meanwhile.
    #expect(openFiles(below: 4096).count < before + 100)
    #expect(!hasChild())
  }

  static func fewDescriptors() throws {
    setDescriptorLimit(64)
    let before = openFiles(below: 64)
    var programs: [SpawnedProgram] = []
    var failure: SystemError?
    while failure == nil, programs.count < 64 {
      do throws(SystemError) { programs.append(try sleeping()) } catch { failure = error }
    }
    #expect(failure == SystemError(code: EMFILE))
    // A program needs one descriptor as long as it runs, and one more to start.
    #expect(programs.count >= 62 - before.count)
    programs.removeLast(2)
    #expect(try text(of: "echo first") == "first\n")
    // Reading needs none: the program's end is not watched then.
    let program = try shell("echo second")
    while open("/dev/null", O_RDONLY) >= 0 {}
    let (bytes, ending) = program.output(maximum: 100, seconds: 100)
    #expect(bytes == Array("second\n".utf8) && ending == .exited(0))
    programs = []
    #expect(!hasChild())
  }

  static func inheritance() throws {
    // Its streams, and the folder that it lists.
    let listing = "echo /proc/self/fd/*"
    let expected = "/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3\n"
    let inherited = try text(of: listing, inheritsFiles: true)
    let others = try (0..<20).map { _ in try sleeping() }
    #expect(try text(of: listing, inheritsFiles: true) == inherited)
    let texts = (0..<8).map { _ in Texts() }
    DispatchQueue.concurrentPerform(iterations: texts.count) { index in
      for _ in 0..<40 { texts[index].append((try? text(of: listing)) ?? "it failed") }
    }
    let all = Set(texts.flatMap(\.all))
    #expect(all == [expected])
    withExtendedLifetime(others) {}
  }

  static func underSignals() throws {
    interruptedThread = pthread_self()
    // Threads of Dispatch block all signals.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGALRM)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    var action = sigaction()
    // The system delivers the signal to any thread, which passes it on.
    action.__sigaction_handler.sa_handler = { number in
      if pthread_equal(pthread_self(), interruptedThread) == 0 {
        pthread_kill(interruptedThread, number)
      } else {
        interruptions += 1
      }
    }
    // Without SA_RESTART: each call that waits is interrupted.
    #expect(sigaction(SIGALRM, &action, nil) == 0)
    var timer = itimerval()
    timer.it_interval.tv_usec = 500
    timer.it_value.tv_usec = 500
    #expect(setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil) == 0)
    for _ in 0..<50 {
      let program = try shell("cat; head -c 100000 /dev/zero; exec sleep 0.01", input: Array("input".utf8))
      let (bytes, ending) = program.output(maximum: 1 << 20, seconds: 100)
      #expect(bytes.count == 100_005 && bytes.starts(with: Array("input".utf8)) && ending == .exited(0))
    }
    #expect(interruptions > 50)
  }

  static func interruptOfTheGroup() throws {
    #expect(setpgid(0, 0) == 0)
    signal(SIGINT, SIG_IGN)
    for _ in 0..<100 {
      let same = try sleeping(isolation: .none)
      let group = try sleeping(isolation: .group)
      let session = try sleeping(isolation: .session)
      #expect(kill(0, SIGINT) == 0)
      let ending = same.output(maximum: 1, seconds: 60).ending
      try #require(ending == .killed(SIGINT))
      for program in [group, session] {
        program.kill()
        #expect(program.wait() == .killed(SIGKILL))
      }
    }
  }

  /// Texts of one thread.
  private final class Texts: @unchecked Sendable {
    private(set) var all: [String] = []
    func append(_ text: String) { all.append(text) }
  }

  private static func sleeping(isolation: ProgramConfiguration.Isolation = .session) throws(SystemError)
    -> SpawnedProgram
  {
    try SpawnedProgram(
      ProgramConfiguration(
        path: "/bin/sleep", arguments: ["1000"], environment: [:], output: .captured, isolation: isolation))
  }

  private static func shell(
    _ script: String, inheritsFiles: Bool = false, input: [UInt8] = []
  ) throws(SystemError) -> SpawnedProgram {
    try SpawnedProgram(
      ProgramConfiguration(
        path: "/bin/sh", arguments: ["-c", script], environment: ["PATH": "/usr/bin:/bin"], output: .captured,
        isolation: .session, inheritsFiles: inheritsFiles), input: input)
  }

  private static func text(of script: String, inheritsFiles: Bool = false) throws -> String {
    let (bytes, ending) = try shell(script, inheritsFiles: inheritsFiles).output(maximum: 1 << 20, seconds: 100)
    return ending == .exited(0) ? String(decoding: bytes, as: UTF8.self) : "\(ending)"
  }

  private static func setDescriptorLimit(_ count: rlim_t) {
    var limit = rlimit(rlim_cur: count, rlim_max: count)
    #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
  }

  /// The open descriptors below a number; counting them needs none.
  private static func openFiles(below end: CInt) -> [CInt] { (0..<end).filter { fcntl($0, F_GETFD) >= 0 } }

  /// Whether this process has a child, be it a zombie.
  private static func hasChild() -> Bool {
    var information = siginfo_t()
    return waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD
  }
}
