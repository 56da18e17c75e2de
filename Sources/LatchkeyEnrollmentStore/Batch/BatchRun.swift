internal import Glibc
internal import LatchkeySQLite

/// The way of the writes of one batch through one connection: one transaction, one commit.
///
/// A body that throws undoes itself alone, which takes a savepoint for each. Hardly any body throws, and savepoints cost a database
/// copies of pages or transaction numbers: so a batch runs without them first, and once more with them if a body has thrown.
struct BatchRun {
  let connection: SQLConnection
  let limits: CommitBatcher.Limits
  private let limit: TransactionLimit
  private let end: ContinuousClock.Instant
  /// The number of batches that run behind savepoints at once after one in which a body has thrown.
  private static let carefulBatches = 16

  init(_ connection: SQLConnection, _ limits: CommitBatcher.Limits, _ limit: TransactionLimit) {
    self.connection = connection
    self.limit = limit
    self.limits = limits
    end = .now + limits.patience
  }

  /// Runs the batch until all of its writes are answered: all together, then, if that meets conflict after conflict, one by
  /// one (`CommitAttempts`).
  func perform(_ batch: [WaitingWrite]) {
    var attempts = CommitAttempts(count: batch.count, tries: limits.tries)
    // One that has exceeded its time is answered, and undone.
    while !limit.isExceeded {
      switch attempts.step {
      case .attempt(let range, let failures):
        if failures > 0 { pause(failures) }
        switch attempt(batch[range]) {
        case .answered: attempts.settle(isLate: isLate)
        case .conflict: attempts.fail(isLate: isLate)
        }
      case .giveUp(let range):
        for write in batch[range] { write.answer(EnrollmentStoreError.contention) }
        attempts.settle(isLate: isLate)
      case .done: return
      }
    }
  }

  /// Whether the patience of the batch has ended.
  private var isLate: Bool { ContinuousClock.now > end }

  private enum Outcome { case answered, conflict }

  private func attempt(_ batch: ArraySlice<WaitingWrite>) -> Outcome {
    if batch.count == 1 || connection.carefulBatches == 0 {
      if let outcome = attempt(batch, behindSavepoints: false) { return outcome }
      connection.carefulBatches = Self.carefulBatches
    } else {
      connection.carefulBatches -= 1
    }
    return attempt(batch, behindSavepoints: true) ?? .conflict
  }

  /// - Returns: nil if a body has thrown, and all is undone since there was no savepoint.
  private func attempt(_ batch: ArraySlice<WaitingWrite>, behindSavepoints: Bool) -> Outcome? {
    // No caller gets an answer before COMMIT, not even one whose body threw: in the next try it may not throw.
    var refusals: [Int: any Error] = [:]
    do {
      let transaction = try connection.begin()
      transaction.limit = limit
      for (place, write) in zip(batch.indices, batch) {
        guard let refusal = try run(write, in: transaction, behindSavepoint: behindSavepoints) else { continue }
        guard behindSavepoints || batch.count == 1 else {
          connection.rollback()
          return nil
        }
        refusals[place] = refusal
      }
      if limit.isExceeded { throw TransactionLimit.error }
      if refusals.count == batch.count { connection.rollback() } else { try connection.commit() }
    } catch {
      connection.rollback()
      if case .retryable? = error as? SQLFailure { return .conflict }
      let answer = (error as? SQLFailure)?.storeError ?? error
      for write in batch { write.answer(answer) }
      return .answered
    }
    for (place, write) in zip(batch.indices, batch) { write.answer(refusals[place]) }
    return .answered
  }

  /// Runs a body; without a savepoint the rollback of its transaction is its own.
  ///
  /// - Returns: what it threw, after it was undone.
  /// - Throws: what ends the transaction.
  private func run(
    _ write: WaitingWrite, in transaction: SQLTransaction, behindSavepoint: Bool
  ) throws -> (any Error)? {
    if behindSavepoint { try connection.savepoint() }
    transaction.mark()
    var refusal: (any Error)?
    do {
      try write.run(transaction)
      try transaction.settle()
    } catch {
      refusal = error
    }
    switch transaction.failure {
    case let failure as SQLFailure:
      guard case .refused = failure else { throw failure }
      refusal = refusal ?? failure.storeError
    case let failure?: refusal = refusal ?? failure
    case nil: break
    }
    if behindSavepoint {
      if refusal == nil { try connection.release() } else { try connection.rollbackToSavepoint() }
    }
    if refusal != nil { transaction.undo() }
    return refusal
  }

  /// Longer each time, and not the same for two that met.
  private func pause(_ number: Int) {
    let most = min(limits.longestPause, 1 << min(number, 16)) * 1000
    usleep(UInt32(Int.random(in: most / 2...most)))
  }
}
