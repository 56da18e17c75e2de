internal import Synchronization

/// A write that waits for its turn, or has it: the body, and the caller that waits for what becomes of it.
///
/// The body is not safe by itself: until it is taken it belongs to the batcher's lock, then to the one worker that took it. An error may
/// come from any thread, since a caller does not wait for a body without end.
final class WaitingWrite: @unchecked Sendable {
  /// Runs the body, keeping what it gives for the day it is committed.
  let run: (any StoreTransaction) throws -> Void
  /// Tells the caller that what `run` kept is durable.
  private let succeed: () -> Void
  private let fail: (any Error) -> Void
  private let isAnswered = Atomic(false)

  init<T: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> T, _ caller: CheckedContinuation<T, any Error>
  ) {
    var kept: Result<T, any Error> = .failure(EnrollmentStoreError.closed)
    run = { kept = .success(try body($0)) }
    succeed = { caller.resume(with: kept) }
    fail = { caller.resume(throwing: $0) }
  }

  /// Tells the caller, once.
  func answer(_ error: (any Error)? = nil) {
    guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return }
    if let error { fail(error) } else { succeed() }
  }
}
