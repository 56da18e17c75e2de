import Dispatch
import Glibc
import LatchkeyByteCoding
import Synchronization

/// A program that this process has started, without a shell: the one way in which Latchkey starts programs.
///
/// The standard library has none. Foundation's `Process` starts no sessions, ends no groups, and reads past its memory where many
/// descriptors are open. swift-subprocess does all of this, but its calls are `async` alone: presence is asked for in synchronous
/// calls, and a thread of the cooperative pool that blocks until a task has ended may wait for its own turn. It would also bring a C
/// target below the keychain.
///
/// Any thread may signal the program; one thread reads its output, and one calls ``wait()``, once. A program that was not waited for
/// is killed with its last reference, so that no process and no status is left behind.
package final class SpawnedProgram: Sendable {
  /// How the program ended.
  package enum Ending: Hashable, Sendable {
    /// With this exit status.
    case exited(Int32)
    /// By this signal.
    case killed(Int32)
    /// It was killed because its time was over (``output(maximum:seconds:)``).
    case late
    /// Another thread of this process, or the system, has collected its status: SIGCHLD is ignored.
    case unknown
  }

  private struct State {
    /// Whether the process number is still the program's: its status was not collected.
    var isThere = true
    var isLate = false
  }

  private let process: pid_t
  private let isolation: ProgramConfiguration.Isolation
  /// The end of its standard output, where that is captured.
  private let output: CInt?
  private let state = Mutex(State())

  /// Starts the program.
  ///
  /// - Parameter input: what it reads on standard input; nothing by default. It is in the pipe before the program runs, so it may
  ///   be a secret, and has at most the bytes that a pipe holds: 65 536 on Linux (pipe(7)).
  /// - Throws: the system's error: the program cannot be run, the input does not fit, or this process has no descriptor left.
  package init(_ configuration: ProgramConfiguration, input: [UInt8] = []) throws(SystemError) {
    (process, output) = try configuration.spawn(input: input)
    isolation = configuration.isolation
  }

  deinit {
    if let output { close(output) }
    guard state.withLock({ $0.isThere }) else { return }
    kill()
    _ = wait()
  }

  /// Kills the program; in a session of its own, all that it has started there, too. Does nothing once it has ended.
  package func kill() { signal(SIGKILL) }

  /// Sends a signal to the same processes as ``kill()``.
  package func signal(_ number: CInt) {
    state.withLock { state in
      if state.isThere { _ = Glibc.kill(isolation == .session ? -process : process, number) }
    }
  }

  /// Waits for the program's end. In a session of its own, processes that it left in its group are killed then.
  package func wait() -> Ending {
    guard state.withLock({ $0.isThere }) else { return .unknown }
    var information = siginfo_t()
    // The process number is given back only under the lock: a late `kill()` cannot hit another process that got it.
    var isKnown = true
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0 {
      if errno == EINTR { continue }
      isKnown = false
      break
    }
    return state.withLock { state in
      defer { state.isThere = false }
      guard isKnown else { return .unknown }
      if isolation == .session { _ = Glibc.kill(-process, SIGKILL) }
      var status: CInt = 0
      while waitpid(process, &status, 0) < 0 {
        guard errno == EINTR else { return .unknown }
      }
      if state.isLate { return .late }
      return status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(status & 0x7F)
    }
  }

  /// Reads its captured output piece by piece, until `receive` returns false, the output ends, `wakeUp` is signaled or `deadline` has
  /// passed. The memory that was read into is wiped.
  ///
  /// The output ends when all processes that hold it have closed it, or with the program: a process that it left behind does not
  /// delay the reader. What was written before the program's end is read.
  package func read(
    until wakeUp: WakeUp? = nil, deadline: ContinuousClock.Instant? = nil, _ receive: (ArraySlice<UInt8>) -> Bool
  ) {
    guard let output else { return }
    var buffer = [UInt8](repeating: 0, count: 1024)
    defer { buffer.wipe() }
    let end = endDescriptor()
    defer { if let end { close(end) } }
    var hasEnded = state.withLock { !$0.isThere }
    while true {
      var waited = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
      // poll(2) ignores negative descriptors.
      waited.append(pollfd(fd: wakeUp?.descriptor ?? -1, events: Int16(POLLIN), revents: 0))
      waited.append(pollfd(fd: hasEnded ? -1 : end ?? -1, events: Int16(POLLIN), revents: 0))
      // After the end of the program its last output is in the pipe.
      var milliseconds: CInt = hasEnded ? 0 : -1
      if let deadline {
        let left = (deadline - ContinuousClock.now) / .milliseconds(1)
        guard left > 0 else { return }
        if !hasEnded { milliseconds = CInt(min(left.rounded(.up), 3_600_000)) }
      }
      let ready = poll(&waited, nfds_t(waited.count), milliseconds)
      if ready < 0 {
        if errno == EINTR { continue }
        return
      }
      if ready == 0 {
        if hasEnded { return }
        continue
      }
      if waited[1].revents != 0 { return }
      if waited[2].revents != 0 { hasEnded = true }
      guard waited[0].revents != 0 else { continue }
      let count = Glibc.read(output, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0, receive(buffer[..<count]) else { return }
    }
  }

  /// A descriptor that is readable once the program has ended, which the caller must close. Nil where none can be had: the system lacks
  /// it, or this process has no descriptor left.
  private func endDescriptor() -> CInt? {
    state.withLock { state in
      guard state.isThere, let open = GNUFunctions.openProcess else { return nil }
      let descriptor = open(process, 0)
      return descriptor < 0 ? nil : descriptor
    }
  }

  /// Kills the program because its time is over. A program that has ended by itself is not late, even if a process that it left
  /// holds its output open.
  private func killLate() {
    state.withLock { state in
      var information = siginfo_t()
      let isChild = state.isThere && waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | WNOHANG) == 0
      // Without a child that has ended, the call leaves the zeros (waitid(2)).
      state.isLate = isChild && information.si_signo == 0
    }
    kill()
  }

  /// Has a thread at once, even if all threads of the cooperative pool are blocked.
  private static let limits = DispatchQueue(label: "latchkey.program-limits")

  /// Reads its captured output to the end, and waits for the program's end. The program is killed after so many seconds, or when it
  /// writes more than `maximum` bytes; then one byte more than that is returned.
  package func output(maximum: Int, seconds: Int) -> (bytes: [UInt8], ending: Ending) {
    // Dispatch retains a canceled item until its time: it must not hold the program, and its descriptor, for as long.
    let limit = DispatchWorkItem { [weak self] in self?.killLate() }
    Self.limits.asyncAfter(deadline: .now() + .seconds(seconds), execute: limit)
    defer { limit.cancel() }
    var bytes: [UInt8] = []
    // Without a descriptor of its end, a process that left the group may hold the output open for longer than the program lives: a
    // second more, and no longer.
    read(deadline: ContinuousClock.now + .seconds(seconds + 1)) { piece in
      bytes += piece.prefix(maximum + 1 - bytes.count)
      return bytes.count <= maximum
    }
    guard bytes.count > maximum else { return (bytes, wait()) }
    kill()
    _ = wait()
    return (bytes, .exited(0))
  }
}
