/// A connection to a database, driven by statements alone.
package final class SQLConnection: BatchConnection {
  private let session: any SQLSession
  private let beginning: StaticString
  private let chain: String
  private let revocations: RevocationFile?
  private var transaction: SQLTransaction?

  /// A connection over `session`, which connects again by itself when it is asked to begin.
  ///
  /// - Parameters:
  ///   - beginning: the statement that opens a serializable transaction.
  ///   - chain: the name of this connection's audit chain: its own, unless all that write to it are kept apart.
  ///   - revocations: the second place of the revocation epoch.
  package init(
    _ session: any SQLSession, beginning: StaticString, chain: String, revocations: RevocationFile?
  ) {
    self.session = session
    self.beginning = beginning
    self.chain = chain
    self.revocations = revocations
  }

  package func begin() throws -> SQLTransaction {
    try session.change(beginning, [])
    let transaction = SQLTransaction(session, chain: chain)
    self.transaction = transaction
    return transaction
  }

  package func savepoint() throws { try session.change("SAVEPOINT body", []) }

  package func release() throws { try session.change("RELEASE SAVEPOINT body", []) }

  package func rollbackToSavepoint() throws {
    try session.change("ROLLBACK TO SAVEPOINT body", [])
    try release()
  }

  package func commit() throws {
    do {
      try transaction?.finish()
    } catch {
      throw transaction?.failure ?? error
    }
    try session.change("COMMIT", [])
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

  package func rollback() {
    transaction = nil
    // Where the database has ended the transaction itself, or is gone, there is nothing left to end.
    _ = try? session.change("ROLLBACK", [])
  }
}
