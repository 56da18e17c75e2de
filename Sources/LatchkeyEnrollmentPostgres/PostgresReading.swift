#if PostgreSQL
  internal import LatchkeyEnrollmentStore

  /// A connection that reads: one body a transaction, which sees one state of the database, serializably with all others.
  ///
  /// What was read counts once COMMIT has said so, in PostgreSQL also for those that only read.
  final class PostgresReading: BatchConnection {
    private let session: any SQLSession
    private let chain: String

    init(_ session: any SQLSession, chain: String) {
      self.session = session
      self.chain = chain
    }

    func begin() throws -> SQLTransaction {
      try session.change("BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY", [])
      return SQLTransaction(session, chain: chain, isReadOnly: true)
    }

    // A batch of reads has one body.
    func savepoint() {}
    func release() {}
    func rollbackToSavepoint() {}

    func commit() throws {
      do {
        try session.change("COMMIT", [])
      } catch SQLFailure.unavailable(let text) {
        // Nothing was changed: there is no doubt that it may run again.
        throw SQLFailure.retryable(text)
      }
    }

    func rollback() { _ = try? session.change("ROLLBACK", []) }
  }
#endif
