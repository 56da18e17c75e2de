public import LatchkeyBluetoothEmulator

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
