import LatchkeyBluetoothTransports

/// The system's time at a quarter of its speed: a machine that is busy with other tests misses no deadline of a protocol.
struct SlowScheduler: Scheduler {
  private static let factor = 4
  private let system = DispatchScheduler()

  var now: Duration { system.now / Self.factor }

  func makeTimer(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledTimer {
    system.makeTimer(at: deadline * Self.factor, body)
  }
}
