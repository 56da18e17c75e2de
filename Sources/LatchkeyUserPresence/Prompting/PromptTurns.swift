import Dispatch
import LatchkeyKeychainModel
import Synchronization

/// Gives the terminal to one thread at a time: if two changed its settings at once, echo could stay disabled for good.
final class PromptTurns: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [DispatchSemaphore] = []
  }
  private let state = Mutex(State())

  /// Waits for the terminal.
  ///
  /// - Throws: `.appCancel`.
  func take(_ cancellation: Cancellation) throws(PresenceError) {
    while true {
      if cancellation.isCancelled { throw .appCancel }
      let semaphore = state.withLock { state -> DispatchSemaphore? in
        guard state.isTaken else {
          state.isTaken = true
          return nil
        }
        let semaphore = DispatchSemaphore(value: 0)
        state.waiting.append(semaphore)
        return semaphore
      }
      guard let semaphore else { return }
      cancellation.withHandler(onCancel: { semaphore.signal() }) { semaphore.wait() }
    }
  }

  /// Releases the terminal.
  func give() {
    let waiting = state.withLock { state in
      state.isTaken = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for semaphore in waiting { semaphore.signal() }
  }
}
