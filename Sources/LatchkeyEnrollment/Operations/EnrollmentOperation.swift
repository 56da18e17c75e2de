internal import Synchronization

/// The kind of an operation.
public enum OperationKind: String, Sendable, Hashable, CaseIterable {
  /// A login with its parts: registration if there is no identity, then the accounts.
  case login
  /// The user's accounts.
  case accounts
  /// A transfer of money.
  case transfer
  /// The registration of the approval key.
  case approvalKey
  /// A new certificate.
  case renewal
  /// The revocation of the device.
  case revocation
  /// The approval or rejection of another device.
  case deviceApproval
}

/// An event of an operation: first its start, then one result.
public enum OperationEvent<Success: Sendable>: Sendable {
  /// It has started.
  case started
  /// It succeeded: the last event.
  case succeeded(Success)
  /// It failed: the last event.
  case failed(EnrollmentError)
  /// It was cancelled: the last event. A request that was sent may have been carried out; the same intent resolves that.
  case cancelled

  /// Whether this is the last event.
  public var isEnd: Bool { if case .started = self { false } else { true } }
}

/// An operation of a client, from its start to its one result.
///
/// It runs with or without observers. ``events`` begins with the first event for every observer, whenever it subscribes;
/// ``value`` waits for the result.
public final class EnrollmentOperation<Success: Sendable>: Sendable {
  /// The operation's kind.
  public let kind: OperationKind

  private struct State {
    var past: [OperationEvent<Success>] = []
    var listeners: [AsyncStream<OperationEvent<Success>>.Continuation] = []
    var task: Task<Void, Never>?
    var isCancelled = false
  }
  private let state = Mutex(State())
  private let notifications: OperationNotifications?

  init(
    _ kind: OperationKind, notifications: OperationNotifications?,
    _ body: @escaping @Sendable () async throws -> Success
  ) {
    self.kind = kind
    self.notifications = notifications
    emit(.started)
    let task = Task { emit(await Self.end(of: body)) }
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// The events: `started`, then exactly one of the others, then the sequence's end.
  public var events: AsyncStream<OperationEvent<Success>> {
    let (stream, continuation) = AsyncStream<OperationEvent<Success>>.makeStream()
    state.withLock { state in
      for event in state.past { continuation.yield(event) }
      if state.past.last?.isEnd == true { continuation.finish() } else { state.listeners.append(continuation) }
    }
    return stream
  }

  /// The result. A caller that is canceled while it waits cancels the operation.
  ///
  /// - Throws: ``EnrollmentError``, or `CancellationError`.
  public var value: Success {
    get async throws {
      try await withTaskCancellationHandler {
        for await event in events {
          switch event {
          case .started: continue
          case .succeeded(let value): return value
          case .failed(let error): throw error
          case .cancelled: throw CancellationError()
          }
        }
        throw CancellationError()
      } onCancel: {
        cancel()
      }
    }
  }

  /// Cancels the operation, unless it has ended. A request that was sent cannot be recalled.
  public func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  private static func end(of body: @Sendable () async throws -> Success) async -> OperationEvent<Success> {
    do {
      return .succeeded(try await body())
    } catch {
      if Task.isCancelled || error is CancellationError { return .cancelled }
      return .failed(error as? EnrollmentError ?? Self.unknown(error))
    }
  }

  /// Wraps an unexpected error; operations throw no others deliberately.
  private static func unknown(_ error: any Error) -> EnrollmentError {
    .misuse("the operation failed for a reason that has no message: report it with \"\(String(reflecting: error))\"")
  }

  private func emit(_ event: OperationEvent<Success>) {
    let listeners = state.withLock { state in
      state.past.append(event)
      defer { if event.isEnd { state.listeners = [] } }
      return state.listeners
    }
    notifications?.post(kind, event)
    for listener in listeners {
      listener.yield(event)
      if event.isEnd { listener.finish() }
    }
  }
}
