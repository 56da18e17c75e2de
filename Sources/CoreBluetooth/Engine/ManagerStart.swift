import LatchkeyBluetoothTransports

/// Starts a manager's callbacks after the app has received the manager from its initializer, and never before.
///
/// On Apple's systems the first update of the state follows a round trip to another process. So apps rely on having the
/// manager by then, and on having subscribed to their delegate's publishers. Here the update is due after a delay that
/// is too short to be noticed; if a busy machine has kept the app's thread from running, the update waits for that
/// thread. On a radio of tests, whose time may stand still, it comes when the test waits for callbacks, too.
final class ManagerStart: Sendable {
  /// The minimum delay from a manager's creation to its first report of the state.
  static let delay = Duration.milliseconds(10)

  private let driver: HostDriver
  private let thread = CallingThread()
  private let body: @Sendable () -> Void
  private let isDone = Locked(false)
  private let timer = Locked<(any ScheduledTimer)?>(nil)

  /// Calls `body` once, on a thread of the driver's scheduler, unless this object is released before.
  init(on driver: HostDriver, _ body: @escaping @Sendable () -> Void) {
    self.driver = driver
    self.body = body
    arm()
    postpone()
  }

  private func arm() {
    // Under the lock: a timer that fires at once arms the next one, which must not be replaced by the first.
    timer.withLock { $0 = driver.makeTimer(after: Self.delay) { [weak self] in self?.start { $0.arm() } } }
  }

  /// A timer would not do for this one: it may be set on a clock that stands still.
  private func postpone() {
    driver.activity?.postpone { [weak self] in self?.start { $0.postpone() } }
  }

  /// Calls `body`, or `retry` if the app's thread has been kept from running.
  private func start(retry: (ManagerStart) -> Void) {
    if thread.isHeldUp { return retry(self) }
    let isFirst = isDone.withLock { isDone in
      defer { isDone = true }
      return !isDone
    }
    if isFirst { body() }
  }
}
