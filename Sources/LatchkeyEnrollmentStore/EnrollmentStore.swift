/// Where the server keeps what must not be lost: users, devices, certificates, challenges, the ledger, what was asked before,
/// and the audit chain. SQLite inside the server (``SQLiteStore``); PostgreSQL through libpq (`PostgresStore`).
///
/// A body is synchronous, because both databases block, and so that no caller waits for something else inside a transaction.
/// It may run more than once (another server changed what it read): it changes nothing but the transaction, and draws its
/// random values and reads the clock before.
public protocol EnrollmentStore: Sendable {
  /// Runs `body` on a consistent state, changing nothing.
  func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T

  /// Runs `body` serializably and durably: when this returns, a power cut takes nothing back.
  ///
  /// Several callers' bodies may share one commit. One that throws undoes itself alone, and its caller gets what it threw; the
  /// others may run again for it. Conflicts with other servers are tried again, the whole body each time.
  ///
  /// - Throws: what `body` throws; ``EnrollmentStoreError``.
  func write<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T

  /// Ends: what is under way finishes, later calls throw `.closed`.
  func close() async
}

/// A store whose transactions have a limit of time, once it is set.
package protocol LimitedStore: EnrollmentStore {
  /// From the next transaction on, one that has not ended in this time gets no further statement, and is undone when it ends; its callers get
  /// `.unavailable` at the limit.
  func limitTransactions(to longest: Duration)
}
