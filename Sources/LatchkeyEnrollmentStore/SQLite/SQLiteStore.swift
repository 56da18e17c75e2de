internal import Dispatch
internal import LatchkeySQLite
internal import Synchronization

/// The server's data in one SQLite file: for one machine, and for any number of processes on it.
///
/// Reads see a snapshot and never wait. Writes that wait together share a commit (`CommitBatcher`), and are on the
/// disk when they return: write-ahead logging with `synchronous = FULL`. Beside the file lies `FILE.revocations`, without
/// which a restored copy could make revoked devices count again: keep both, and never restore the two together.
public final class SQLiteStore: EnrollmentStore, LimitedStore {
  /// The database's file.
  public var path: String { file.path }

  private let file: SQLiteFile
  private let writes: CommitBatcher
  private let reads: CommitBatcher
  private let connections: Connections
  private let isClosed = Atomic<Bool>(false)

  /// Connections that read, side by side.
  private static let readers = 8

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

  /// - Parameters:
  ///   - wrap: stands between the verbs and the database, for writes: for tests.
  ///   - wrapReads: the same for reads.
  package init(
    path: String, node: String, isMade: Bool = true, limits: CommitBatcher.Limits,
    wrap: @escaping @Sendable (any SQLSession) -> any SQLSession = { $0 },
    wrapReads: @escaping @Sendable (any SQLSession) -> any SQLSession = { $0 }
  ) throws {
    try NodeName.check(node)
    let file = try SQLiteFile(path, isMade: isMade)
    let revocations = RevocationFile(path: file.path + ".revocations")
    let writer = try SQLiteOpening(file: file, revocations: revocations, isMade: isMade).open()
    let readers = (0..<Self.readers).map { _ in
      SQLiteSession { () throws(SQLiteError) in try SQLiteOpening.reader(file.path) }
    }
    let connections = Connections(
      writer: writer,
      writing: SQLConnection(
        wrap(SQLiteSession(writer)), beginning: "BEGIN IMMEDIATE", chain: node, revocations: revocations),
      readers: readers,
      reading: readers.map {
        SQLConnection(wrapReads($0), beginning: "BEGIN DEFERRED", chain: node, isReadOnly: true)
      })
    self.file = file
    self.connections = connections
    writes = CommitBatcher(
      label: "enrollment-store.writer", limits: limits, interrupt: { _ in connections.writer.interrupt() }
    ) { _, use in use(connections.writing) }
    var alone = limits
    (alone.batch, alone.waiting) = (1, .max)
    reads = CommitBatcher(
      label: "enrollment-store.reader", connections: readers.count, limits: alone,
      interrupt: { connections.readers[$0].interrupt() }
    ) { number, use in use(connections.reading[number]) }
  }

  package func limitTransactions(to longest: Duration) {
    writes.limit(longest)
    reads.limit(longest)
  }

  /// Runs `body` on a snapshot, beside any write.
  public func read<T: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> T
  ) async throws -> T {
    try await reads.write(body)
  }

  /// Runs `body` in a commit that it may share with others, and returns when the disk has it.
  public func write<T: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> T
  ) async throws -> T {
    try await writes.write(body)
  }

  /// Finishes what was asked for; later calls throw `.closed`.
  public func close() async {
    let (areWritesDone, areReadsDone) = (await writes.close(), await reads.close())
    // A body that has not returned uses its connection still.
    guard areWritesDone, areReadsDone else { return }
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    // The last connection to close moves the log into the file: no task waits for the disk on a thread of the pool.
    await withCheckedContinuation { closer in
      DispatchQueue.global().async { [connections] in
        for reader in connections.readers { reader.close() }
        try? connections.writer.close()
        closer.resume()
      }
    }
  }

  /// The connection that writes, for tests: no write may be under way.
  var writer: SQLiteConnection { connections.writer }

  /// Each is used by the one worker that the batcher lends it to; at the end, when none works any more, by `close`.
  private final class Connections: @unchecked Sendable {
    let writer: SQLiteConnection
    let writing: SQLConnection
    let readers: [SQLiteSession]
    let reading: [SQLConnection]

    init(writer: SQLiteConnection, writing: SQLConnection, readers: [SQLiteSession], reading: [SQLConnection]) {
      self.writer = writer
      self.writing = writing
      self.readers = readers
      self.reading = reading
    }
  }
}
