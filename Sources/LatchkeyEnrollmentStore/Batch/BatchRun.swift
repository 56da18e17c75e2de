internal import Glibc
internal import LatchkeySQLite

/// The way of the writes of one batch through one connection: one transaction, a savepoint each, one commit.
struct BatchRun {
  let connection: SQLConnection
  let limits: CommitBatcher.Limits
  private let end: ContinuousClock.Instant

  init(_ connection: SQLConnection, _ limits: CommitBatcher.Limits) {
    self.connection = connection
    self.limits = limits
    end = .now + limits.patience
  }

  /// Runs the batch until all of its writes are answered: all together, then, if that meets conflict after conflict, one by
  /// one (`CommitAttempts`).
  func perform(_ batch: [WaitingWrite]) {
    var attempts = CommitAttempts(count: batch.count, tries: limits.tries)
    while true {
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
    // No caller gets an answer before COMMIT, not even one whose body threw: in the next try it may not throw.
    var refusals: [Int: any Error] = [:]
    do {
      let transaction = try connection.begin()
      for (place, write) in zip(batch.indices, batch) {
        if let refusal = try run(write, in: transaction, isAlone: batch.count == 1) { refusals[place] = refusal }
      }
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

  /// Runs a body behind a savepoint; the rollback of a batch of one is that of its transaction.
  ///
  /// - Returns: what it threw, after it was undone.
  /// - Throws: what ends the transaction.
  private func run(_ write: WaitingWrite, in transaction: SQLTransaction, isAlone: Bool) throws -> (any Error)? {
    if !isAlone { try connection.savepoint() }
    transaction.mark()
    var refusal: (any Error)?
    do {
      try write.run(transaction)
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
    if !isAlone {
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
