package import CoreBluetooth

/// Where the provisioning classes have the time from, and who wakes them.
package protocol Timekeeper: Sendable {
  /// The time since a fixed origin, never going back.
  var now: Duration { get }

  /// Has `body` called once on `queue`, when `now` has reached `deadline`.
  func call(at deadline: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void)
}

/// The system's monotonic time.
package struct SystemTimekeeper: Timekeeper {
  /// The system's time.
  package init() {}

  /// The time since the system started.
  package var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

  /// Calls `body` by a timer of Dispatch.
  package func call(at deadline: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    let wait = max(deadline - now, .zero)
    let nanoseconds = wait.components.seconds * 1_000_000_000 + wait.components.attoseconds / 1_000_000_000
    // Rounded up: a call that comes too early would have to be scheduled anew.
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds) + 1), execute: body)
  }
}

/// One call at the earliest of the deadlines that it was given.
///
/// A deadline that was moved back leaves a call that comes too early: the one that is called asks its machine, and arms anew.
struct Alarm {
  private var armed: Duration?

  /// Has `body` called at `deadline`, unless an earlier call is due anyway.
  mutating func arm(
    _ deadline: Duration?, _ timekeeper: any Timekeeper, on queue: DispatchQueue,
    _ body: @escaping @Sendable () -> Void
  ) {
    guard let deadline, armed.map({ deadline < $0 }) ?? true else { return }
    armed = deadline
    timekeeper.call(at: deadline, on: queue, body)
  }

  /// Notes that a call came.
  mutating func rang(now: Duration) {
    if let armed, now >= armed { self.armed = nil }
  }
}
