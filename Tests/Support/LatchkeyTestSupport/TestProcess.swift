import Dispatch
package import Foundation
import Glibc
import LatchkeySystem
import Synchronization

/// A program that a test starts, with the names of Foundation's `Process`. It inherits its three streams and no other open file
/// of this process, even if other tests open files at the same time.
///
/// Foundation's `Process` lists the open files and closes those. A program inherits a file that another thread opens after the list
/// was made, until it exits: the other test's pipe does not end, and a program that it copied is busy.
///
/// A thread collects its status as soon as it ends, even if no test waits for it: exit tests wait for any child of this process,
/// and would wait forever for one whose status is not collected (docs/traps.md).
///
/// Unchecked: its properties are set before it starts, by one thread. Any thread may signal it and wait for it.
package final class TestProcess: @unchecked Sendable {
  package var executableURL: URL?
  package var arguments: [String] = []
  /// The whole environment; nil for this process's.
  package var environment: [String: String]?
  /// The working directory; nil for this process's.
  package var currentDirectoryURL: URL?
  /// The streams: a `Pipe` or a `FileHandle`; nil for this process's.
  package var standardInput: Any?
  package var standardOutput: Any?
  package var standardError: Any?
  /// The number of the process; 0 before the start.
  package private(set) var processIdentifier: pid_t = 0

  /// The status in the form of waitpid(2); nil while it runs.
  private let ending = Mutex<CInt?>(nil)
  private let hasEnded = DispatchGroup()

  /// Why no program was started.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package init() {}

  /// Starts it, in a process group of its own: an interrupt at the terminal does not reach it.
  package func start() throws {
    let path = executableURL?.path ?? ""
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let currentDirectoryURL {
      try Self.changeDirectory(to: currentDirectoryURL.path, in: &actions)
    }
    add(standardInput, as: STDIN_FILENO, isWritten: false, to: &actions)
    add(standardOutput, as: STDOUT_FILENO, isWritten: true, to: &actions)
    add(standardError, as: STDERR_FILENO, isWritten: true, to: &actions)
    try Self.closeFiles(from: STDERR_FILENO + 1, in: &actions)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))

    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = (environment ?? ProcessInfo.processInfo.environment).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, path, &actions, &attributes, words, variables)
    guard code == 0 else { throw Failure(description: "\(path): \(String(cString: strerror(code)))") }
    processIdentifier = process
    hasEnded.enter()
    Thread.detachNewThread { self.collect() }
    // The program has its ends now; the pipe ends with it.
    try? (standardInput as? Pipe)?.fileHandleForReading.close()
    try? (standardOutput as? Pipe)?.fileHandleForWriting.close()
    try? (standardError as? Pipe)?.fileHandleForWriting.close()
  }

  /// Whether it was started and has not ended.
  package var isRunning: Bool { processIdentifier > 0 && ending.withLock { $0 == nil } }

  /// Waits until it has ended, for five minutes at most: then it is killed, and the test sees its status.
  package func waitUntilExit() {
    guard hasEnded.wait(timeout: .now() + 300) != .success else { return }
    print("a program of a test did not end and is killed: \(executableURL?.path ?? "") \(arguments)")
    kill()
    hasEnded.wait()
  }

  /// The exit status, or the signal that ended it; call ``waitUntilExit()`` before.
  package var terminationStatus: Int32 {
    let status = ending.withLock { $0 } ?? -1
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : status & 0x7F
  }

  package var terminationReason: Process.TerminationReason {
    (ending.withLock { $0 } ?? 0) & 0x7F == 0 ? .exit : .uncaughtSignal
  }

  /// Sends SIGTERM.
  package func terminate() { signal(SIGTERM) }

  /// Sends SIGINT.
  package func interrupt() { signal(SIGINT) }

  /// Sends SIGKILL.
  package func kill() { signal(SIGKILL) }

  /// Sends a signal, unless it has ended.
  package func signal(_ number: CInt) {
    guard processIdentifier > 0 else { return }
    ending.withLock { if $0 == nil { _ = Glibc.kill(processIdentifier, number) } }
  }

  private func collect() {
    var information = siginfo_t()
    // Its status is collected under the lock: no signal reaches another process that got its number.
    while waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    ending.withLock { ending in
      var status: CInt = 0
      while waitpid(processIdentifier, &status, 0) < 0, errno == EINTR {}
      ending = status
    }
    hasEnded.leave()
  }

  private func add(
    _ stream: Any?, as number: CInt, isWritten: Bool, to actions: inout posix_spawn_file_actions_t
  ) {
    let handle: FileHandle?
    if let pipe = stream as? Pipe {
      handle = isWritten ? pipe.fileHandleForWriting : pipe.fileHandleForReading
    } else {
      handle = stream as? FileHandle
    }
    guard let handle else { return }
    if handle === FileHandle.nullDevice {
      posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
    } else {
      posix_spawn_file_actions_adddup2(&actions, handle.fileDescriptor, number)
    }
  }

  /// Closes the open files from a number on in the program; add this after the actions for its streams.
  package static func closeFiles(from first: CInt, in actions: inout posix_spawn_file_actions_t) throws(Failure) {
    guard let close = GNUFunctions.addCloseFrom else {
      throw Failure(description: "the C library lacks posix_spawn_file_actions_addclosefrom_np")
    }
    _ = close(&actions, first)
  }

  private static func changeDirectory(
    to path: String, in actions: inout posix_spawn_file_actions_t
  ) throws(Failure) {
    typealias Add = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> CInt
    guard let symbol = dlsym(nil, "posix_spawn_file_actions_addchdir_np") else {
      throw Failure(description: "the C library lacks posix_spawn_file_actions_addchdir_np")
    }
    _ = unsafeBitCast(symbol, to: Add.self)(&actions, path)
  }
}
