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

/// Why a store did not do what it was asked.
public enum EnrollmentStoreError: Error, Hashable, Sendable {
  /// The database cannot be reached or is too busy; try later. What was under way may or may not have happened.
  case unavailable(String)
  /// Conflicts did not end within the tries.
  case contention
  /// The data contradict themselves: what, and how to go on.
  case damaged(String)
  /// The database is newer than this program, or older than any that it can bring forward.
  case unsupportedVersion(Int)
  /// The database is an older copy: it knows less of revocations than the file beside it says.
  case olderThanRevocations(String)
  /// The store was closed.
  case closed
  /// The caller's misuse: what to do instead.
  case misuse(String)
}
