import Foundation
import Glibc
import LatchkeySystem
import Testing

@Suite(.timeLimit(.minutes(5))) struct SpawnedProgramTests {
  private func shell(
    _ script: String, _ arguments: [String] = [], environment: [String: String] = ["PATH": "/usr/bin:/bin"],
    output: ProgramConfiguration.Output = .captured, isolation: ProgramConfiguration.Isolation = .session,
    inheritsFiles: Bool = false, input: [UInt8] = []
  ) throws(SystemError) -> SpawnedProgram {
    try SpawnedProgram(
      ProgramConfiguration(
        path: "/bin/sh", arguments: ["-c", script, "name"] + arguments, environment: environment, output: output,
        isolation: isolation, inheritsFiles: inheritsFiles), input: input)
  }

  /// The output of a script that ends with 0.
  private func text(of program: SpawnedProgram) throws -> String {
    let (bytes, ending) = program.output(maximum: 1 << 20, seconds: 100)
    try #require(ending == .exited(0))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The first line of its output, a process number.
  private func number(from program: SpawnedProgram) -> pid_t? {
    var line: [UInt8] = []
    program.read { piece in
      line += piece
      return line.last != UInt8(ascii: "\n")
    }
    return pid_t(String(decoding: line.dropLast(), as: UTF8.self))
  }

  /// Whether a process ends within a minute; it need not be a child of this one.
  private func ends(_ process: pid_t) throws -> Bool {
    let open = try #require(GNUFunctions.openProcess)
    let descriptor = open(process, 0)
    guard descriptor >= 0 else { return errno == ESRCH }
    defer { close(descriptor) }
    var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waited, 1, 60_000) == 1
  }

  @Test("Its ending is its exit status, or the signal that killed it") func endings() throws {
    for status: CInt in [0, 1, 127, 255] {
      #expect(try shell("exit \(status)", output: .discarded).wait() == .exited(status))
    }
    #expect(try shell("kill -9 $$", output: .discarded).wait() == .killed(SIGKILL))
  }

  @Test("It gets its arguments and environment as they are, and no shell sees them") func words() throws {
    let text = try text(
      of: try shell(#"printf '%s|' "$#" "$@" "$A""#, ["a b", "$(exit 3)", ""], environment: ["A": "ü *"]))
    #expect(text == "3|a b|$(exit 3)||ü *|")
  }

  @Test("It has nothing to read without an input, and all of its input otherwise") func input() throws {
    #expect(try text(of: try shell("wc -c")).contains("0"))
    #expect(try text(of: try shell("cat", input: Array("secret\n".utf8))) == "secret\n")
    let most = [UInt8](repeating: 0x61, count: 65_536)
    #expect(try text(of: try shell("cat", input: most)).utf8.count == most.count)
  }

  @Test("An input that a pipe does not hold is refused before the program runs") func largeInput() {
    #expect(throws: SystemError(code: E2BIG)) { try shell("exit 0", input: [UInt8](repeating: 0, count: 1 << 21)) }
  }

  @Test("Neither an input nor an output leaves a descriptor open when the start fails") func descriptors() throws {
    let folder = "/proc/self/fd"
    let before = try FileManager.default.contentsOfDirectory(atPath: folder).count
    for _ in 0..<1000 {
      #expect(throws: SystemError(code: ENOENT)) {
        try SpawnedProgram(
          ProgramConfiguration(path: "/nonexistent", environment: [:], output: .captured, isolation: .none), input: [1])
      }
    }
    // Other tests open some meanwhile, but not as many as a leak of one at each try would.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count < before + 900)
  }

  @Test("A file that is no program is refused", arguments: [("/etc/passwd", EACCES), ("/", EACCES), ("", ENOENT)])
  func noProgram(path: String, code: CInt) {
    #expect(throws: SystemError(code: code)) {
      try SpawnedProgram(ProgramConfiguration(path: path, environment: [:], output: .discarded, isolation: .none))
    }
  }

  @Test("A zero character in a path, an argument or a variable is refused, not cut off") func zeroCharacters() {
    for (path, argument, variable) in [("/bin/true\0x", "", ""), ("/bin/true", "a\0b", ""), ("/bin/true", "", "a\0b")] {
      #expect(throws: SystemError(code: EINVAL)) {
        try SpawnedProgram(
          ProgramConfiguration(
            path: path, arguments: [argument], environment: ["A": variable], output: .discarded, isolation: .none))
      }
    }
  }

  @Test("A program that has ended holds no descriptor until its time limit") func descriptorsOfEnded() throws {
    let folder = "/proc/self/fd"
    let before = try FileManager.default.contentsOfDirectory(atPath: folder).count
    for _ in 0..<400 {
      let program = try SpawnedProgram(
        ProgramConfiguration(path: "/bin/true", environment: [:], output: .captured, isolation: .session))
      #expect(program.output(maximum: 1, seconds: 10_000).ending == .exited(0))
    }
    // Other tests open some meanwhile.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count < before + 300)
  }

  @Test(
    "The output of a program ends with it, though a process that it left holds the output open",
    arguments: [ProgramConfiguration.Isolation.none, .group, .session])
  func heldOutput(isolation: ProgramConfiguration.Isolation) throws {
    let limit = ContinuousClock.now + .seconds(60)
    let script = "setsid sleep 1000 & seq 5000; echo $!"
    let (bytes, ending) = try shell(script, isolation: isolation).output(maximum: 1 << 20, seconds: 60)
    #expect(ending == .exited(0) && ContinuousClock.now < limit)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 5001)
    let child = try #require(lines.last.flatMap { pid_t($0) })
    #expect(kill(child, SIGKILL) == 0)
  }

  @Test("Reading ends with the program, also after its status was collected") func heldReading()
    throws
  {
    let program = try shell("setsid sleep 1000 & echo $!", isolation: .group)
    let child = try #require(number(from: program))
    let limit = ContinuousClock.now + .seconds(60)
    program.read(deadline: limit) { _ in true }
    #expect(program.wait() == .exited(0))
    program.read(deadline: limit) { _ in true }
    #expect(ContinuousClock.now < limit)
    #expect(kill(child, SIGKILL) == 0)
  }

  @Test("A program that closes its output and lives on is killed at its time limit") func closedOutput() throws {
    let (bytes, ending) = try shell("echo closed; exec >&-; exec sleep 1000").output(maximum: 100, seconds: 1)
    #expect(bytes == Array("closed\n".utf8) && ending == .late)
  }

  @Test("A large output is read to its end") func largeOutput() throws {
    let program = try shell("exec head -c 100000000 /dev/zero")
    let (bytes, ending) = program.output(maximum: 1 << 27, seconds: 250)
    #expect(bytes.count == 100_000_000 && ending == .exited(0))
  }

  @Test("A program that was not waited for ends with its last reference") func dropped() throws {
    var program: SpawnedProgram? = try shell("echo $$; exec sleep 1000")
    let process = try #require(program.flatMap { number(from: $0) })
    program = nil
    var information = siginfo_t()
    #expect(waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == -1 && errno == ECHILD)
  }

  @Test("It ignores no signal that this process ignores", arguments: [SIGPIPE, SIGUSR2, SIGTTOU])
  func ignoredSignals(number: CInt) throws {
    let before = signal(number, SIG_IGN)
    defer { signal(number, before) }
    let text = try text(of: try shell("exec grep SigIgn /proc/self/status"))
    let ignored = try #require(UInt64(text.drop { $0 != "\t" }.filter(\.isHexDigit), radix: 16))
    // The C library ignores 32 and 33, its own, in each program that it starts.
    #expect(ignored & 0x7FFF_FFFF == 0)
  }

  @Test("More output than its maximum ends it, and one byte more is returned") func maximum() throws {
    let (bytes, ending) = try shell("exec yes").output(maximum: 5000, seconds: 100)
    #expect(bytes.count == 5001 && ending == .exited(0))
    let exact = try shell("printf 12345").output(maximum: 5, seconds: 100)
    #expect(exact.bytes == Array("12345".utf8) && exact.ending == .exited(0))
  }

  @Test("It is killed at its time limit, with the processes that it has started") func late() throws {
    #expect(try shell("cat /dev/zero > /dev/null & wait").output(maximum: 10, seconds: 0).ending == .late)
  }

  @Test("Killing a session ends the processes that the program has started") func session() throws {
    let program = try shell("sleep 1000 & echo $!; wait")
    let child = try #require(number(from: program))
    program.kill()
    #expect(program.wait() == .killed(SIGKILL))
    #expect(try ends(child))
  }

  @Test("Processes that a program leaves behind in its session end with it") func leftBehind() throws {
    let program = try shell("sleep 1000 & echo $!; exit 4")
    let child = try #require(number(from: program))
    #expect(program.wait() == .exited(4))
    #expect(try ends(child))
  }

  @Test("A signal to a program in a group of its own does not reach what it has started") func group() throws {
    let program = try shell("sleep 1000 > /dev/null & echo $!; wait", isolation: .group)
    let child = try #require(number(from: program))
    program.signal(SIGTERM)
    #expect(program.wait() == .killed(SIGTERM))
    #expect(kill(child, SIGKILL) == 0)
  }

  @Test("Its session and group are those that its isolation says", arguments: [0, 1, 2]) func isolation(number: Int)
    throws
  {
    let isolation = [ProgramConfiguration.Isolation.none, .group, .session][number]
    let text = try text(of: try shell("exec cut -d ' ' -f 1,5,6 /proc/self/stat", isolation: isolation))
    let fields = text.split { $0.isWhitespace }.compactMap { pid_t($0) }
    try #require(fields.count == 3)
    #expect(fields[1] == (isolation == .none ? getpgrp() : fields[0]))
    #expect(fields[2] == (isolation == .session ? fields[0] : getsid(0)))
  }

  @Test("It inherits open files only where that is asked for", arguments: [false, true]) func files(inherits: Bool)
    throws
  {
    let file = open("/etc/passwd", O_RDONLY)
    defer { close(file) }
    let script = "for f in /proc/$$/fd/*; do readlink $f; done; exit 0"
    let text = try text(of: try shell(script, inheritsFiles: inherits))
    #expect(text.split(separator: "\n").contains("/etc/passwd") == inherits)
  }

  @Test("It blocks no signal that this thread blocks") func signals() throws {
    var (set, before) = (sigset_t(), sigset_t())
    sigemptyset(&set)
    sigaddset(&set, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &set, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let text = try text(of: try shell("exec grep SigBlk /proc/self/status"))
    #expect(text == "SigBlk:\t0000000000000000\n")
  }

  @Test("Reading stops at a wake-up, at a deadline, and when the receiver has enough") func reading() throws {
    let program = try shell("echo first; exec sleep 1000")
    defer {
      program.kill()
      _ = program.wait()
    }
    var pieces = 0
    program.read { piece in
      pieces += 1
      return false
    }
    #expect(pieces == 1)
    let wakeUp = try WakeUp()
    wakeUp.signal()
    program.read(until: wakeUp) { _ in true }
    program.read(deadline: ContinuousClock.now) { _ in true }
  }

  @Test("A signal after its end reaches no process") func lateSignal() throws {
    let program = try shell("exit 0", output: .discarded)
    #expect(program.wait() == .exited(0))
    program.kill()
    #expect(program.wait() == .unknown)
  }
}
