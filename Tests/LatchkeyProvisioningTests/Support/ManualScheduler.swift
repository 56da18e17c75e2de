import LatchkeyBluetoothTransports
import Synchronization

/// Time that stands still until a test moves it.
///
/// A `VirtualClock` passes each deadline on its way; this time jumps, as a system's does between two looks at it.
final class ManualScheduler: Scheduler {
  private struct Call {
    let number: Int
    let deadline: Duration
    let body: @Sendable () -> Void
  }

  private struct State {
    var now = Duration.zero
    var lastNumber = 0
    var calls: [Call] = []
    var waiters: [(deadline: Duration, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var now: Duration { state.withLock { $0.now } }

  func makeTimer(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledTimer {
    let (number, awaited) = state.withLock { state in
      state.lastNumber += 1
      state.calls.append(Call(number: state.lastNumber, deadline: deadline, body: body))
      let awaited = state.waiters.filter { $0.deadline == deadline }
      state.waiters.removeAll { $0.deadline == deadline }
      return (state.lastNumber, awaited)
    }
    for waiter in awaited { waiter.continuation.resume() }
    return Timer(scheduler: self, number: number)
  }

  /// Returns when a timer is armed for `deadline`.
  func isAwaited(at deadline: Duration) async {
    await withCheckedContinuation { continuation in
      let isArmed = state.withLock { state in
        guard !state.calls.contains(where: { $0.deadline == deadline }) else { return true }
        state.waiters.append((deadline, continuation))
        return false
      }
      if isArmed { continuation.resume() }
    }
  }

  /// Moves the time, and fires the timers that become due.
  func advance(to now: Duration) {
    let due = state.withLock { state in
      state.now = now
      let due = state.calls.filter { $0.deadline <= now }
      state.calls.removeAll { $0.deadline <= now }
      return due
    }
    for call in due { call.body() }
  }

  private struct Timer: ScheduledTimer {
    let scheduler: ManualScheduler
    let number: Int

    func cancel() { scheduler.state.withLock { $0.calls.removeAll { $0.number == number } } }
  }
}
