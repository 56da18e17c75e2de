import Dispatch
import Glibc

/// The time source of sessions: monotonic, and running while the machine sleeps.
package struct PresenceClock: Sendable {
  /// The time in seconds since an arbitrary start.
  package var now: @Sendable () -> Double
  /// Calls the closure once after a number of seconds, on an arbitrary thread, and returns a function that cancels it.
  package var after: @Sendable (Double, @escaping @Sendable () -> Void) -> @Sendable () -> Void

  /// Creates a clock from its parts.
  package init(
    now: @escaping @Sendable () -> Double,
    after: @escaping @Sendable (Double, @escaping @Sendable () -> Void) -> @Sendable () -> Void
  ) {
    self.now = now
    self.after = after
  }

  /// The system's clock.
  package static let system = PresenceClock(
    now: {
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    },
    after: { seconds, body in
      // The timer's methods may be called on any thread.
      nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
      timer.schedule(deadline: .now() + seconds, leeway: .milliseconds(100))
      timer.setEventHandler(handler: body)
      timer.activate()
      return { timer.cancel() }
    })
}
