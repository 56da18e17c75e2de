import Glibc

/// The thread that made this, observed by another one: was it prevented from running?
///
/// A busy machine may preempt a thread between any two steps, for longer than a delay that is too short to be noticed.
/// Code that must run after the thread's next steps checks here before it continues.
package struct CallingThread: Sendable {
  /// Running time within which the next steps may not be finished.
  private static let stepTime = Duration.microseconds(100)

  private let thread = pthread_self()
  private let clock: clockid_t?
  private let runningTime: Duration

  /// The thread that calls.
  package init() {
    var clock = clockid_t()
    self.clock = pthread_getcpuclockid(thread, &clock) == 0 ? clock : nil
    runningTime = self.clock.flatMap(Self.time) ?? .zero
  }

  /// Whether the thread is runnable and has hardly had a processor since.
  package var isHeldUp: Bool {
    // A thread that checks itself has run, and one that has ended has no time any more.
    guard pthread_equal(thread, pthread_self()) == 0, let clock, let time = Self.time(clock),
      time - runningTime < Self.stepTime
    else { return false }
    // The clock of a thread is named by the complement of its kernel's number, above three bits (clock_getres(2)).
    return Self.isRunnable(~(clock >> 3))
  }

  /// Whether the thread waits for nothing but a processor (proc(5), `stat`: the third field, after the name in
  /// brackets).
  private static func isRunnable(_ number: pid_t) -> Bool {
    guard let file = fopen("/proc/self/task/\(number)/stat", "re") else { return false }
    defer { fclose(file) }
    var text = [UInt8](repeating: 0, count: 512)
    let count = fread(&text, 1, text.count, file)
    guard let name = text[..<count].lastIndex(of: UInt8(ascii: ")")), name + 2 < count else { return false }
    return text[name + 2] == UInt8(ascii: "R")
  }

  private static func time(_ clock: clockid_t) -> Duration? {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return nil }
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
