/// Where a shell gets the time from, and who wakes it.
public protocol Scheduler: Sendable {
  /// The time since a fixed origin, never going back.
  var now: Duration { get }

  /// Has `body` called once, when `now` has reached `deadline`, on a thread of the scheduler's choice.
  ///
  /// It is never called from inside this function, even for a deadline in the past. The caller keeps the timer:
  /// letting go of it may give the call up.
  func makeTimer(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledTimer
}

/// A call that was scheduled.
public protocol ScheduledTimer: Sendable {
  /// Gives the call up. One that is just beginning may still happen.
  func cancel()
}

extension Duration {
  /// This duration in whole nanoseconds, rounded up so that a timer never fires early, from zero to what 63 bits hold.
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow((attoseconds + 999_999_999) / 1_000_000_000)
    return overflow || carry ? .max : sum
  }
}
