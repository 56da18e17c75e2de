/// A connection as ``CommitBatcher`` drives it: transactions, savepoints and what a commit of the store needs, by statements that
/// every ``SQLSession`` has. Every call blocks, and comes from one thread at a time.
///
/// Failures are ``SQLFailure``, which says whether all may run again.
package final class SQLConnection {
  private let session: any SQLSession
  private let beginning: StaticString
  private let chain: String
  private let revocations: RevocationFile?
  private let isReadOnly: Bool
  private var transaction: SQLTransaction?
  /// The number of next batches that run behind savepoints at once, since a body has thrown.
  var carefulBatches = 0

  /// A connection over `session`, which connects again by itself when it is asked to begin.
  ///
  /// - Parameters:
  ///   - beginning: the statement that opens a serializable transaction.
  ///   - chain: the name of this connection's audit chain: its own, unless all that write to it are kept apart.
  ///   - revocations: the second place of the revocation epoch.
  ///   - isReadOnly: whether its transactions change nothing.
  package init(
    _ session: any SQLSession, beginning: StaticString, chain: String, revocations: RevocationFile? = nil,
    isReadOnly: Bool = false
  ) {
    self.session = session
    self.beginning = beginning
    self.chain = chain
    self.revocations = revocations
    self.isReadOnly = isReadOnly
  }

  /// Opens a transaction that is serializable with all others, after connecting again if need be.
  package func begin() throws -> SQLTransaction {
    try session.change(beginning, [])
    let transaction = SQLTransaction(session, chain: chain, isReadOnly: isReadOnly)
    self.transaction = transaction
    return transaction
  }

  /// Marks the place to which ``rollbackToSavepoint()`` goes back.
  package func savepoint() throws { try session.change("SAVEPOINT body", []) }

  /// Forgets the mark, keeping what was done since.
  package func release() throws { try session.change("RELEASE SAVEPOINT body", []) }

  /// Undoes what was done since the mark, and forgets it.
  package func rollbackToSavepoint() throws {
    try session.change("ROLLBACK TO SAVEPOINT body", [])
    try release()
  }

  /// Makes all of it durable: when it returns, callers get their answers. What was only read counts from then on, too.
  package func commit() throws {
    do {
      try transaction?.finish()
    } catch {
      throw transaction?.failure ?? error
    }
    do {
      try session.change("COMMIT", [])
    } catch SQLFailure.unavailable(let text) where isReadOnly {
      // Nothing was changed: there is no doubt that it may run again.
      throw SQLFailure.retryable(text)
    }
    let epoch = transaction?.epochToKeep
    transaction = nil
    // A revocation that is acknowledged is known in both places: a copy of the database cannot take it back.
    if let epoch, let revocations {
      do {
        try revocations.raise(to: epoch)
      } catch {
        throw SQLFailure.unavailable("\(error)")
      }
    }
  }

  /// Ends the transaction as if it had not been, if there still is one.
  package func rollback() {
    transaction = nil
    // Where the database has ended the transaction itself, or is gone, there is nothing left to end.
    _ = try? session.change("ROLLBACK", [])
  }
}
