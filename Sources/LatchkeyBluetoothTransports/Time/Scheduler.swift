public import LatchkeyBluetoothEmulator

/// The time source and the timers of a shell.
public protocol Scheduler: Sendable {
  /// The time since a fixed origin, never going back.
  var now: Duration { get }

  /// Calls `body` once, when `now` has reached `deadline`, on a thread of the scheduler's choice.
  ///
  /// It is never called from inside this function, even for a deadline in the past. The caller retains the timer:
  /// releasing it may cancel the call.
  func makeTimer(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledTimer
}

/// A scheduled call.
public protocol ScheduledTimer: Sendable {
  /// Cancels the call. A call that is just beginning may still happen.
  func cancel()
}

extension Duration {
  /// This duration in whole nanoseconds, rounded up so that a timer never fires early, clamped to 0...Int64.max.
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow((attoseconds + 999_999_999) / 1_000_000_000)
    return overflow || carry ? .max : sum
  }
}

extension VirtualClock: Scheduler {
  /// Calls `body` once the clock is advanced to `deadline`, on the thread that advances it.
  public func makeTimer(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledTimer {
    VirtualTimer(clock: self, timer: schedule(at: deadline, body))
  }
}

private struct VirtualTimer: ScheduledTimer {
  let clock: VirtualClock
  let timer: VirtualClock.Timer

  func cancel() { clock.cancel(timer) }
}
