import Dispatch
import Foundation
import Synchronization

/// A program that runs beside the test, with its input and output in hand. It is ended with this object.
///
/// Foundation's `Process` is not for tests of servers: its start copies 256 bytes for each entry of /proc/self/fd, past the end of
/// the listing's buffer where some 1 340 descriptors are open; and its pipes are inherited by what another thread starts at that
/// moment, so that whoever reads waits for a stranger's end. Here nothing but the three streams is inherited.
///
/// Other test targets take this file in by a symbolic link.
final class SpawnedProgram: Sendable {
  let input: FileHandle
  let output: FileHandle
  private let process: pid_t
  private let isReaped = Mutex(false)

  /// Starts a program, with this environment alone if one is given.
  ///
  /// - Parameter mixesErrors: whether its errors come with its output; else they go nowhere.
  init(
    _ path: String, _ arguments: [String], environment: [String: String]? = nil, mixesErrors: Bool = true
  ) throws {
    let (toIt, fromIt) = (try Self.pipe(), try Self.pipe())
    defer {
      close(toIt.reading)
      close(fromIt.writing)
    }
    input = FileHandle(fileDescriptor: toIt.writing, closeOnDealloc: true)
    output = FileHandle(fileDescriptor: fromIt.reading, closeOnDealloc: true)

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toIt.reading, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, fromIt.writing, STDOUT_FILENO)
    if mixesErrors {
      posix_spawn_file_actions_adddup2(&actions, fromIt.writing, STDERR_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    }
    _ = try GNU.function("posix_spawn_file_actions_addclosefrom_np", as: GNU.AddCloseFrom.self)(&actions, 3)

    // Threads of Dispatch block signals, and NIO ignores SIGPIPE: neither is the program's business.
    var (attributes, signals) = (posix_spawnattr_t(), sigset_t())
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables =
      (environment ?? ProcessInfo.processInfo.environment).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process = pid_t()
    let failure = posix_spawn(&process, path, &actions, &attributes, words, variables)
    guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
    self.process = process
  }

  deinit {
    let isLeft = isReaped.withLock { !$0 }
    guard isLeft else { return }
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  /// Sends it a signal, unless it has ended.
  func signal(_ number: Int32) {
    isReaped.withLock { if !$0 { kill(process, number) } }
  }

  /// Waits until it has ended, on a thread that may: its exit status, or 128 and the signal's number.
  func end() async -> Int32 {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "spawned-program").async { continuation.resume(returning: self.wait()) }
    }
  }

  /// The same, on this thread; once.
  func wait() -> Int32 {
    var info = siginfo_t()
    while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    return isReaped.withLock { isReaped in
      var status: Int32 = 0
      waitpid(process, &status, 0)
      isReaped = true
      return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
  }

  /// The lines that it writes, up to the end of the one that holds `words`, or to its end.
  func lines(until words: String) async -> [String] {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "spawned-program").async { [output] in
        var text = ""
        while !text.contains(words) || text.last != "\n" {
          let data = output.availableData
          if data.isEmpty { break }
          text += String(decoding: data, as: UTF8.self)
        }
        continuation.resume(returning: text.split(separator: "\n").map(String.init))
      }
    }
  }

  private static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard try GNU.function("pipe2", as: GNU.Pipe2.self)(&ends, O_CLOEXEC) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    return (ends[0], ends[1])
  }
}

/// What the C library has and Swift's module of it hides.
private enum GNU {
  typealias AddCloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
  typealias Pipe2 = @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32

  static func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
    guard let address = dlsym(nil, name) else { throw POSIXError(.ENOSYS) }
    return unsafeBitCast(address, to: type)
  }
}
