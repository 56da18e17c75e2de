internal import Foundation
internal import Synchronization

/// A value that is given at most once, on any thread, and awaited by at most one task. The first that is given counts. If the task is
/// cancelled it stops waiting, so that a value which never comes holds nobody up.
final class OneAnswer<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, any Error>)
    case given(Result<Value, any Error>)
    case taken
  }
  private let state = Mutex(State.open)

  /// Gives the value. Later ones have no effect.
  func give(_ value: Value) { settle(.success(value)) }

  /// Gives an error in the value's place.
  func fail(_ error: any Error) { settle(.failure(error)) }

  /// Waits for the value.
  ///
  /// - Throws: the error that was given; `CancellationError`.
  func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let known: Result<Value, any Error>? = state.withLock { state in
          if case .given(let result) = state {
            state = .taken
            return result
          }
          state = .awaited(continuation)
          return nil
        }
        if let known { continuation.resume(with: known) }
      }
    } onCancel: {
      fail(CancellationError())
    }
  }

  private func settle(_ result: Result<Value, any Error>) {
    let waiter: CheckedContinuation<Value, any Error>? = state.withLock { state in
      switch state {
      case .open:
        state = .given(result)
        return nil
      case .awaited(let continuation):
        state = .taken
        return continuation
      case .given, .taken: return nil
      }
    }
    waiter?.resume(with: result)
  }
}

/// Runs `body` for so long at most, and cancels it then.
///
/// - Throws: the error of `body`; `URLError.timedOut`.
func within<Value: Sendable>(
  _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw URLError(.timedOut)
    }
    defer { group.cancelAll() }
    guard let value = try await group.next() else { throw URLError(.timedOut) }
    return value
  }
}
