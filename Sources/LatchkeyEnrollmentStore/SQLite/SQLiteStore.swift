internal import Dispatch
internal import GRDB
internal import Synchronization

/// The server's data in one SQLite file: for one machine, and for any number of processes on it.
///
/// Reads see a snapshot and never wait. Writes that wait together share a commit (`CommitBatcher`), and are on the
/// disk when they return: write-ahead logging with `synchronous = FULL`. Beside the file lies `FILE.revocations`, without
/// which a restored copy could make revoked devices count again: keep both, and never restore the two together.
public final class SQLiteStore: EnrollmentStore {
  /// The database's file.
  public var path: String { file.path }

  private let file: SQLiteFile
  private let node: String
  let pool: DatabasePool
  private let batcher: CommitBatcher
  private let writer: SQLiteWriter
  private let isClosed = Atomic<Bool>(false)

  /// Opens the database at `path`, or makes it, folder and all; mode 0600. An older one is brought forward.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - node: this server's name in the audit chain.
  ///   - isMade: whether the database is made where there is none; else that is `.misuse`.
  /// - Throws: `.unsupportedVersion` if a later program wrote it, `.olderThanRevocations` for an old copy, `.misuse` for a file
  ///   of something else, one that others can read or own, or where others could put a log beside it, and for a name that does not
  ///   show (``NodeName``), `.unavailable`, `.damaged`.
  public convenience init(path: String, node: String, isMade: Bool = true) throws {
    try self.init(path: path, node: node, isMade: isMade, limits: CommitBatcher.Limits())
  }

  /// - Parameter wrap: stands between the verbs and the database, for writes: for tests.
  package init(
    path: String, node: String, isMade: Bool = true, limits: CommitBatcher.Limits,
    wrap: @escaping @Sendable (any SQLSession) -> any SQLSession = { $0 }
  ) throws {
    try NodeName.check(node)
    let file = try SQLiteFile(path, isMade: isMade)
    let revocations = RevocationFile(path: file.path + ".revocations")
    let pool = try SQLiteOpening(file: file, revocations: revocations, isMade: isMade).open()
    let writer = SQLiteWriter(pool) {
      SQLConnection(wrap($0), beginning: "BEGIN IMMEDIATE", chain: node, revocations: revocations)
    }
    self.file = file
    self.node = node
    self.pool = pool
    self.writer = writer
    batcher = CommitBatcher(label: "enrollment-store", limits: limits) { _, use in try writer.lend(use) }
  }

  /// Runs `body` on a snapshot, beside any write.
  public func read<T: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> T
  ) async throws -> T {
    guard !isClosed.load(ordering: .acquiring) else { throw EnrollmentStoreError.closed }
    let node = node
    return try await withCheckedThrowingContinuation { caller in
      // A thread of the pool's own; the cooperative pool waits for no disk.
      pool.asyncUnsafeRead { [self] lent in
        caller.resume(
          with: Result {
            let session: SQLiteSession
            do {
              session = SQLiteSession(try lent.get())
              try session.change("BEGIN DEFERRED", [])
            } catch {
              throw isClosed.load(ordering: .acquiring) ? EnrollmentStoreError.closed : SQLFailure(error).storeError
            }
            defer { _ = try? session.change("ROLLBACK", []) }
            return try body(SQLTransaction(session, chain: node, isReadOnly: true))
          })
      }
    }
  }

  /// Runs `body` in a commit that it may share with others, and returns when the disk has it.
  public func write<T: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> T
  ) async throws -> T {
    try await batcher.write(body)
  }

  /// Finishes what was asked for; later calls throw `.closed`.
  public func close() async {
    await batcher.close()
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    await withCheckedContinuation { closer in
      DispatchQueue.global().async { [pool, writer] in
        writer.end()
        // Readers still at work keep it open; it closes with the last of them.
        try? pool.close()
        closer.resume()
      }
    }
  }
}
