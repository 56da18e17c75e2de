internal import Synchronization

/// Whether a batch has exceeded the time limit of transactions. Its callers have their answers then; its statements fail, and what it did
/// is undone.
///
/// The worker that runs the batch reads it, and the batcher's check sets it.
package final class TransactionLimit: Sendable {
  private let exceeded = Atomic(false)

  package init() {}

  package var isExceeded: Bool { exceeded.load(ordering: .acquiring) }
  func exceed() { exceeded.store(true, ordering: .releasing) }

  /// The error of the callers, and of each further statement.
  static let error = EnrollmentStoreError.unavailable(
    "a transaction has not ended within its time: it is undone, and so is what shared its commit")
}
