#if PostgreSQL
  internal import Glibc
  public import LatchkeyEnrollmentStore
  public import Logging

  /// The server's data in PostgreSQL, through libpq: any number of servers share one database.
  ///
  /// All transactions are SERIALIZABLE. Conflicts with others (40001, 40P01, at a statement or at COMMIT) and connections lost
  /// before COMMIT run the bodies again, whole. A connection that is lost *during* COMMIT leaves it unknown whether it
  /// happened: bodies are not run again then, since they may have been booked; callers get `.unavailable` and ask with the
  /// same idempotency key, which finds the answer if there is one.
  ///
  /// Writes that wait together share a commit (`CommitBatcher`), on few connections; reads have connections of their own.
  /// Each has a thread of its own; the cooperative pool never waits. A connection that writes has its own audit chain: the
  /// first that of the node's name, the further ones `NODE/2`, …
  ///
  /// The role needs a database of its own, made with `ENCODING 'UTF8'`, and may create tables in the first schema of its
  /// search path, at least when a new version of the server starts first. Where connections go through PgBouncer, it pools
  /// sessions, not transactions: statements are prepared by name.
  public final class PostgresStore: EnrollmentStore, LimitedStore {
    /// How many connections there are, and how long they wait.
    public struct Configuration: Sendable {
      /// Connections that write: while one waits for the disk the other runs.
      public var writers = 2
      /// Connections that read.
      public var readers = 4
      /// How long things may take.
      public var timeouts = PostgresTimeouts()

      /// The defaults.
      public init() {}
    }

    private let writes: CommitBatcher
    private let reads: CommitBatcher
    private let links: Links

    /// Opens the database, and makes or brings forward its tables. Blocks until that is done, also by another server.
    ///
    /// - Parameters:
    ///   - address: where it is.
    ///   - node: this server's name in the audit chain; unique among those that share the database.
    ///   - revocations: a file, outside of the database and of its backups, that keeps how often something was revoked: with
    ///     it, a restored backup cannot un-revoke unnoticed. Each server has its own, or several share one on one machine.
    ///   - configuration: connections and times.
    ///   - isMade: whether the tables are made where there are none; else that is `.misuse`, and the database stays as it is.
    ///   - logger: where notices and lost connections are logged.
    /// - Throws: `.unavailable`, `.misuse` for an address, role or database that cannot do, `.unsupportedVersion` if a later
    ///   program made the tables, `.olderThanRevocations` for an older copy.
    public convenience init(
      _ address: PostgresAddress, node: String, revocations: String? = nil, configuration: Configuration = .init(),
      isMade: Bool = true, logger: Logger
    ) throws(EnrollmentStoreError) {
      try self.init(
        address, node: node, revocations: revocations, configuration: configuration, isMade: isMade, logger: logger,
        limits: .init(), wrap: { $0 })
    }

    /// - Parameter wrap: stands between the verbs and the database: for tests.
    package init(
      _ address: PostgresAddress, node: String, revocations: String? = nil, configuration: Configuration = .init(),
      isMade: Bool = true, logger: Logger, limits: CommitBatcher.Limits, wrap: (any SQLSession) -> any SQLSession
    ) throws(EnrollmentStoreError) {
      try NodeName.check(node)
      let file = revocations.map { RevocationFile(path: $0) }
      let timeouts = configuration.timeouts
      try Self.opening {
        try PostgresMigration.run(address, timeouts: timeouts, isMade: isMade, logger: logger)
        guard let file else { return }
        let session = try PostgresSession(address, timeouts: timeouts, logger: logger)
        try file.validate(
          epoch: SQLTransaction(session, chain: node, isReadOnly: true).revocationEpoch(), of: "\(address)")
      }
      let writing = (0..<max(1, configuration.writers)).map { _ in
        PostgresLink(address, timeouts: timeouts, logger: logger)
      }
      let reading = (0..<max(1, configuration.readers)).map { _ in
        PostgresLink(address, timeouts: timeouts, logger: logger)
      }
      let links = Links(
        all: writing + reading,
        writers: writing.enumerated().map { number, link in
          SQLConnection(
            wrap(link), beginning: "BEGIN ISOLATION LEVEL SERIALIZABLE",
            chain: number == 0 ? node : "\(node)/\(number + 1)", revocations: file)
        },
        readers: reading.map {
          SQLConnection(
            wrap($0), beginning: "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY", chain: node, isReadOnly: true)
        })
      self.links = links
      writes = CommitBatcher(
        label: "enrollment-postgres.writer", connections: links.writers.count, limits: limits
      ) { number, use in use(links.writers[number]) }
      var alone = limits
      alone.batch = 1
      reads = CommitBatcher(
        label: "enrollment-postgres.reader", connections: links.readers.count, limits: alone
      ) { number, use in use(links.readers[number]) }
    }

    /// Runs `body` on a consistent state, serializably with all writes; see `EnrollmentStore`.
    public func read<T: Sendable>(
      _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
      try await reads.write(body)
    }

    /// Runs `body` serializably and durably; see `EnrollmentStore`, and above what becomes of conflicts and lost connections.
    public func write<T: Sendable>(
      _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
      try await writes.write(body)
    }

    package func limitTransactions(to longest: Duration) {
      writes.limit(longest)
      reads.limit(longest)
    }

    /// Lets everything finish that was asked for, and ends all connections; later calls throw `.closed`.
    public func close() async {
      let (areWritesDone, areReadsDone) = (await writes.close(), await reads.close())
      // A body that has not returned uses its connection still.
      guard areWritesDone, areReadsDone else { return }
      for link in links.all { link.close() }
    }

    /// Each is used by the one thread that the batcher lends it to; at the end, when there is none any more, by `close`.
    private final class Links: @unchecked Sendable {
      let all: [PostgresLink]
      let writers: [SQLConnection]
      let readers: [SQLConnection]

      init(all: [PostgresLink], writers: [SQLConnection], readers: [SQLConnection]) {
        self.all = all
        self.writers = writers
        self.readers = readers
      }
    }

    private static func opening(_ body: () throws -> Void) throws(EnrollmentStoreError) {
      do {
        try body()
      } catch let error as EnrollmentStoreError {
        throw error
      } catch let error as PostgresError {
        throw error.storeError
      } catch {
        throw .unavailable("\(error)")
      }
    }
  }
#endif
