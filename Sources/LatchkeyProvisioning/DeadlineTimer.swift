import Dispatch
import LatchkeyBluetoothTransports

/// One timer for the deadlines of a machine that belongs to a queue.
///
/// Only an earlier deadline arms the timer anew. After a deadline that moved back the timer fires too early: the machine then
/// ignores the call, and the timer is armed for the present deadline.
struct DeadlineTimer {
  private let scheduler: any Scheduler
  private let queue: DispatchQueue
  private var armed: (deadline: Duration, timer: any ScheduledTimer)?

  /// A timer that calls on `queue`.
  init(_ scheduler: any Scheduler, queue: DispatchQueue) {
    self.scheduler = scheduler
    self.queue = queue
  }

  /// The scheduler's time.
  var now: Duration { scheduler.now }

  /// Has `body` called on the queue at `deadline`, unless the timer fires earlier anyway.
  mutating func arm(_ deadline: Duration?, _ body: @escaping @Sendable () -> Void) {
    guard let deadline, armed.map({ deadline < $0.deadline }) ?? true else { return }
    armed?.timer.cancel()
    armed = (deadline, scheduler.makeTimer(at: deadline) { [queue] in queue.async(execute: body) })
  }

  /// Notes that `body` was called.
  mutating func fired() {
    if let armed, now >= armed.deadline { self.armed = nil }
  }
}
