internal import Glibc

/// The way of the writes of one batch through one connection: one transaction, a savepoint each, one commit.
struct BatchRun {
  let connection: any BatchConnection
  let limits: CommitBatcher.Limits
  private let end: ContinuousClock.Instant

  init(_ connection: any BatchConnection, _ limits: CommitBatcher.Limits) {
    self.connection = connection
    self.limits = limits
    end = .now + limits.patience
  }

  /// Runs the batch until everybody in it was answered: all together, then, if that meets conflict after conflict, one by
  /// one.
  func perform(_ batch: [WaitingWrite]) {
    if tryAgain({ attempt(batch) }) { return }
    guard batch.count > 1 else {
      for write in batch { write.answer(EnrollmentStoreError.contention) }
      return
    }
    for write in batch where ContinuousClock.now > end || !tryAgain({ attempt([write]) }) {
      write.answer(EnrollmentStoreError.contention)
    }
  }

  /// False if there were conflicts to the last.
  private func tryAgain(_ attempt: () -> Outcome) -> Bool {
    for number in 0..<max(1, limits.tries) {
      if number > 0 { pause(number) }
      if attempt() == .answered { return true }
      if ContinuousClock.now > end { return false }
    }
    return false
  }

  private enum Outcome { case answered, conflict }

  private func attempt(_ batch: [WaitingWrite]) -> Outcome {
    // Nobody is told before COMMIT, not even whose body threw: in the next try it may not.
    var refusals: [Int: any Error] = [:]
    do {
      let transaction = try connection.begin()
      for (place, write) in batch.enumerated() {
        if let refusal = try run(write, in: transaction, isAlone: batch.count == 1) { refusals[place] = refusal }
      }
      if refusals.count == batch.count { connection.rollback() } else { try connection.commit() }
    } catch {
      connection.rollback()
      if case .retryable? = error as? SQLFailure { return .conflict }
      let told = (error as? SQLFailure)?.storeError ?? error
      for write in batch { write.answer(told) }
      return .answered
    }
    for (place, write) in batch.enumerated() { write.answer(refusals[place]) }
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
