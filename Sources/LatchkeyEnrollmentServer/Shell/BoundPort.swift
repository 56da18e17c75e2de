internal import Synchronization

/// The port that a server has bound, which callers can wait for.
final class BoundPort: Sendable {
  private enum State {
    case waiting([CheckedContinuation<Int, any Error>])
    case known(Result<Int, any Error>)
  }

  private let state = Mutex(State.waiting([]))

  var value: Int {
    get async throws {
      try await withCheckedThrowingContinuation { continuation in
        let known: Result<Int, any Error>? = state.withLock {
          switch $0 {
          case .known(let result): return result
          case .waiting(let others):
            $0 = .waiting(others + [continuation])
            return nil
          }
        }
        if let known { continuation.resume(with: known) }
      }
    }
  }

  func set(_ port: Int) { settle(.success(port)) }

  /// Reports that no port will be bound; has no effect after success.
  func fail(_ error: any Error) { settle(.failure(error)) }

  private func settle(_ result: Result<Int, any Error>) {
    let waiting: [CheckedContinuation<Int, any Error>] = state.withLock {
      guard case .waiting(let waiting) = $0 else { return [] }
      $0 = .known(result)
      return waiting
    }
    for continuation in waiting { continuation.resume(with: result) }
  }
}
