internal import Dispatch
internal import EnrollmentProtocol
internal import Synchronization

/// Work that takes a core, and memory, for some tens of milliseconds: so many pieces at once, on threads of their own, some more in
/// a line; who comes then is sent away, since an endless line would serve nobody.
package final class HeavyWork: Sendable {
  private struct State {
    var running = 0
    var line: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())
  private let queue: DispatchQueue
  private let atOnce: Int
  private let longestLine: Int

  init(label: String, atOnce: Int, longestLine: Int) {
    queue = DispatchQueue(label: label, attributes: .concurrent)
    self.atOnce = max(1, atOnce)
    self.longestLine = max(0, longestLine)
  }

  /// Runs `body` when its turn comes.
  ///
  /// - Throws: what `body` throws; ``TryLater`` where the line is full.
  func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { caller in
      let isTaken = take { caller.resume(with: Result(catching: body)) }
      if !isTaken {
        caller.resume(throwing: TryLater(.tooManyRequests, seconds: 2, detail: "too many log in at once; try again"))
      }
    }
  }

  private func take(_ work: @escaping @Sendable () -> Void) -> Bool {
    let (isTaken, startsNow) = state.withLock { state in
      if state.running < atOnce {
        state.running += 1
        return (true, true)
      }
      guard state.line.count < longestLine else { return (false, false) }
      state.line.append(work)
      return (true, false)
    }
    if startsNow { queue.async { self.work(work) } }
    return isTaken
  }

  private func work(_ first: @Sendable () -> Void) {
    first()
    while let next = next() { next() }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard state.line.isEmpty else { return state.line.removeFirst() }
      state.running -= 1
      return nil
    }
  }
}
