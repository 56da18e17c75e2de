@testable import CoreBluetooth

/// Events in the order in which they came, for one test to wait for.
final class EventLog<Event>: Sendable {
  private struct State {
    var events: [Event] = []
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Locked(State())

  func add(_ event: Event) {
    let waiter = state.withLock { state in
      state.events.append(event)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Waits for the first event that `match` accepts, and removes it and those before it.
  ///
  /// - Throws: `CancellationError` when the test's time is over.
  func first<Match>(_ match: (Event) -> Match?) async throws -> Match {
    while true {
      if let found = removeFirst(match) { return found }
      try Task.checkCancellation()
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isThere = state.withLock { state in
            if !state.events.isEmpty || Task.isCancelled { return true }
            state.waiter = continuation
            return false
          }
          if isThere { continuation.resume() }
        }
      } onCancel: {
        state.withLock { $0.waiter.take() }?.resume()
      }
    }
  }

  /// The events that arrived and were not awaited.
  var pending: [Event] { state.withLock { $0.events } }

  /// The first event that `match` accepts, if it has arrived; events before it are removed, all of them if none matches.
  private func removeFirst<Match>(_ match: (Event) -> Match?) -> Match? {
    state.withLock { state in
      while !state.events.isEmpty {
        if let found = match(state.events.removeFirst()) { return found }
      }
      return nil
    }
  }
}
