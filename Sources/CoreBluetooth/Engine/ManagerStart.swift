import LatchkeyBluetoothTransports

/// Begins a manager's callbacks when the app has got the manager from its initializer, and never before.
///
/// On Apple's systems the first update of the state follows a round trip to another process, so apps rely on having the
/// manager, and on having subscribed to what their delegate publishes, when it comes. Here it is due after a time that is
/// too short to be noticed; and where a busy machine has kept the app's thread from going on, it waits for the thread.
final class ManagerStart: Sendable {
  /// How long after its birth a manager tells its delegate of the state, at the earliest.
  static let delay = Duration.milliseconds(10)

  private let driver: HostDriver
  private let thread = CallingThread()
  private let body: @Sendable () -> Void
  private let timer = Locked<(any ScheduledTimer)?>(nil)

  /// Has `body` called once, on a thread of the driver's scheduler, unless this goes before.
  init(on driver: HostDriver, _ body: @escaping @Sendable () -> Void) {
    self.driver = driver
    self.body = body
    arm()
  }

  private func arm() {
    // Under the lock: a timer that rings at once arms the next one, which must not be given up for the first.
    timer.withLock { $0 = driver.makeTimer(after: Self.delay) { [weak self] in self?.rang() } }
  }

  private func rang() {
    if thread.isHeldUp { arm() } else { body() }
  }
}
