import LatchkeyBluetoothTransports

/// The system's time, so many times as fast.
struct ScaledScheduler: Scheduler {
  let speed: Int
  private let system = DispatchScheduler()

  init(speed: Int) { self.speed = speed }

  var now: Duration { system.now * speed }

  func makeTimer(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledTimer {
    system.makeTimer(at: deadline / speed, body)
  }
}
