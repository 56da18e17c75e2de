import Dispatch
import Glibc

/// Time as sessions see it: it only grows, and goes on while the machine sleeps.
package struct PresenceClock: Sendable {
  /// Seconds since some moment.
  package var now: @Sendable () -> Double
  /// Calls back once after so many seconds, on a thread of its own choice; what it returns calls that off.
  package var after: @Sendable (Double, @escaping @Sendable () -> Void) -> @Sendable () -> Void

  /// A clock of these parts.
  package init(
    now: @escaping @Sendable () -> Double,
    after: @escaping @Sendable (Double, @escaping @Sendable () -> Void) -> @Sendable () -> Void
  ) {
    self.now = now
    self.after = after
  }

  /// The system's.
  package static let system = PresenceClock(
    now: {
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    },
    after: { seconds, body in
      // Its methods may be called from any thread.
      nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
      timer.schedule(deadline: .now() + seconds, leeway: .milliseconds(100))
      timer.setEventHandler(handler: body)
      timer.activate()
      return { timer.cancel() }
    })
}
