import LatchkeyKeychainModel
import LatchkeySQLite
import Synchronization

extension KeychainDatabase {
  /// Performs a batch in one transaction. If one of its writes fails in the database, all of it is rolled back, and each is
  /// tried again alone (`CommitAttempts`).
  func commit(_ requests: [any WriteRequest]) -> [StoreError?] {
    var failures = [StoreError?](repeating: nil, count: requests.count)
    var attempts = CommitAttempts(count: requests.count, tries: 1)
    while true {
      switch attempts.step {
      case .attempt(let range, _):
        do throws(TransactionError) {
          failures.replaceSubrange(range, with: try transaction(requests[range]))
          attempts.settle()
        } catch {
          switch error {
          case .spoiled(let error):
            for place in range { failures[place] = error }
            attempts.fail()
          case .failed(let error):
            for place in range { failures[place] = error }
            attempts.settle()
          }
        }
      // Its failure stands already.
      case .giveUp: attempts.settle()
      case .done: return failures
      }
    }
  }

  private enum TransactionError: Error {
    /// A write failed half-way.
    case spoiled(StoreError)
    /// It did not come to writing.
    case failed(StoreError)
  }

  private func transaction(_ requests: ArraySlice<any WriteRequest>) throws(TransactionError) -> [StoreError?] {
    let result: Result<[StoreError?], TransactionError>
    do throws(StoreError) {
      result = try pool.withWriter { (connection) throws(TransactionError) in
        do throws(StoreError) { try connection.run("BEGIN IMMEDIATE") } catch { throw .failed(error) }
        return try perform(requests, connection)
      }
    } catch {
      throw .failed(error)
    }
    return try result.get()
  }

  private func perform(
    _ requests: ArraySlice<any WriteRequest>, _ connection: Connection
  ) throws(TransactionError) -> [StoreError?] {
    let commits = CommitMark.read(connection)
    var transaction: WriteTransaction
    let known: VerifiedState
    let proof: Proof
    do throws(StoreError) {
      // A file without a name ends with this process, and with it everything written to it.
      if connection.hasLostFile { throw .exchanged(path) }
      try watch.verify(connection, uuid: parts.uuid)
      known = try verify(connection, commits: commits)
      if let complaint = known.complaint { throw .damaged(complaint) }
      proof = Proof(parts, known)
      transaction = WriteTransaction(connection, parts, known.header, proof)
    } catch {
      throw .failed(error)
    }
    let atFirst = transaction.header.state
    var failures: [StoreError?] = []
    failures.reserveCapacity(requests.count)
    for request in requests {
      let changes = transaction.headerChanges
      do throws(StoreError) {
        try request.perform(in: &transaction)
        failures.append(nil)
      } catch {
        // What failed half-way must not be committed with the rest.
        if transaction.isSpoiled || transaction.headerChanges != changes { throw .spoiled(error) }
        failures.append(error)
      }
    }
    guard transaction.header.state != atFirst, proof.broken == nil else {
      record(
        VerifiedState(commits: commits, header: known.header, damage: nil, broken: proof.broken, proven: proof.proven))
      guard let broken = proof.broken else { return failures }
      // What one of them found holds for all: nothing is written any more.
      return failures.map { $0 ?? .damaged(broken) }
    }
    do throws(StoreError) {
      try transaction.finish()
      try erasure.note(transaction.erases, startsLog: commits?.frames == 0, connection)
      if connection.hasLostFile { throw .exchanged(path) }
      try connection.run("COMMIT")
    } catch {
      throw .spoiled(error)
    }
    guard transaction.nextParts == nil else {
      // By these parts nothing can be read any more: who goes on opens the keychain again.
      rootIsReplaced.store(true, ordering: .releasing)
      return failures
    }
    // No other connection can have committed between, so this commit is the next one.
    record(
      VerifiedState(
        commits: .after(commits, connection), header: transaction.header, damage: nil, proven: proof.proven),
      adopting: transaction.newSlots)
    if !hasWritten.exchange(true, ordering: .relaxed), configuration.marksPlace { try? parts.mark?.set(parts.uuid) }
    if transaction.erases { eraseLater() }
    return failures
  }
}
