public import LatchkeyBluetoothEmulator

extension VirtualClock: Scheduler {
  /// Has `body` called once the clock is moved to `deadline`, on the thread that moves it.
  public func makeTimer(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledTimer {
    VirtualTimer(clock: self, timer: schedule(at: deadline, body))
  }
}

private struct VirtualTimer: ScheduledTimer {
  let clock: VirtualClock
  let timer: VirtualClock.Timer

  func cancel() { clock.cancel(timer) }
}
