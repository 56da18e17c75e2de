import Synchronization

/// Cancels a blocking call from outside: an authenticator that waits for a finger, a prompt that waits for a line.
public final class Cancellation: Sendable {
  private struct State {
    var isCancelled = false
    var handlers: [Int: @Sendable () -> Void] = [:]
    var next = 0
  }
  private let state = Mutex(State())

  /// Creates a cancellation that was not canceled.
  public init() {}

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Cancels, and runs each registered handler once, in the caller's thread.
  public func cancel() {
    let handlers = state.withLock { state in
      defer { state.handlers = [:] }
      state.isCancelled = true
      return state.handlers.sorted { $0.key < $1.key }.map(\.value)
    }
    for handler in handlers { handler() }
  }

  /// Runs `body`. `onCancel` runs when ``cancel()`` is called during `body`, or at once if it was called before. A
  /// handler that ``cancel()`` has started in another thread can still run when `body` has ended: it retains what it uses.
  public func withHandler<Value, Failure: Error>(
    onCancel: @escaping @Sendable () -> Void, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let token: Int? = state.withLock { state in
      if state.isCancelled { return nil }
      state.next += 1
      state.handlers[state.next] = onCancel
      return state.next
    }
    if token == nil { onCancel() }
    defer { if let token { state.withLock { $0.handlers[token] = nil } } }
    return try body()
  }
}
