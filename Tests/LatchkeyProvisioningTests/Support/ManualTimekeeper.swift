import Dispatch
import Synchronization

@testable import LatchkeyProvisioning

/// Time that stands still until a test moves it.
final class ManualTimekeeper: Timekeeper {
  private struct Call {
    let deadline: Duration
    let queue: DispatchQueue
    let body: @Sendable () -> Void
  }

  private struct State {
    var now = Duration.zero
    var calls: [Call] = []
    var waiters: [(deadline: Duration, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var now: Duration { state.withLock { $0.now } }

  func call(at deadline: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    let awaited = state.withLock { state in
      state.calls.append(Call(deadline: deadline, queue: queue, body: body))
      let awaited = state.waiters.filter { $0.deadline == deadline }
      state.waiters.removeAll { $0.deadline == deadline }
      return awaited
    }
    for waiter in awaited { waiter.continuation.resume() }
  }

  /// Returns when somebody has asked to be called at `deadline`.
  func isAwaited(at deadline: Duration) async {
    await withCheckedContinuation { continuation in
      let isDue = state.withLock { state in
        guard !state.calls.contains(where: { $0.deadline == deadline }) else { return true }
        state.waiters.append((deadline, continuation))
        return false
      }
      if isDue { continuation.resume() }
    }
  }

  /// Moves the time, and makes the calls that become due.
  func advance(to now: Duration) {
    let due = state.withLock { state in
      state.now = now
      let due = state.calls.filter { $0.deadline <= now }
      state.calls.removeAll { $0.deadline <= now }
      return due
    }
    for call in due { call.queue.async(execute: call.body) }
  }
}
