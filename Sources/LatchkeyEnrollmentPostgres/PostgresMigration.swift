#if PostgreSQL
  internal import Glibc
  internal import LatchkeyEnrollmentStore
  internal import Logging

  /// Makes the tables, or brings them forward, however many servers start at once: one does it, the others wait for a row.
  ///
  /// A row, not an advisory lock, which CockroachDB has not.
  struct PostgresMigration {
    private let session: PostgresSession
    private let address: PostgresAddress
    private let isMade: Bool
    private let logger: Logger

    /// Looks for work, and does it.
    ///
    /// - Parameters:
    ///   - isMade: whether tables are made where there are none.
    ///   - target: where to stop; for tests of old versions.
    static func run(
      _ address: PostgresAddress, timeouts: PostgresTimeouts, isMade: Bool = true, logger: Logger,
      upTo target: Int = Schema.version
    ) throws {
      var patient = timeouts
      patient.statement = timeouts.migration
      patient.lock = timeouts.migration
      let deadline = ContinuousClock.now + timeouts.migration
      var collisions = 0
      while true {
        do {
          let session = try PostgresSession(address, timeouts: patient, logger: logger)
          return try Self(session: session, address: address, isMade: isMade, logger: logger).run(upTo: target)
        } catch let error as PostgresError where canRepeat(error, &collisions) && ContinuousClock.now < deadline {
          logger.debug("PostgreSQL: the migration begins again: \(error)")
          usleep(UInt32.random(in: 20_000...100_000))
        }
      }
    }

    /// Whether the migration may succeed when it begins again.
    ///
    /// - Parameter collisions: how often something was there already. A table that another server is just making is seen at the
    ///   next attempt; an object that is still in the way after a few belongs to another program.
    private static func canRepeat(_ error: PostgresError, _ collisions: inout Int) -> Bool {
      if case .commitUnknown = error { return true }
      guard error.isCollision else { return error.isWorthRepeating }
      collisions += 1
      return collisions <= 5
    }

    private func run(upTo target: Int) throws {
      let found = try version()
      guard isMade || found != nil else {
        throw EnrollmentStoreError.misuse(
          "there are no tables of a server in \(address): name the database that the server has; serve and user add make them"
        )
      }
      // Most starts find all done, and need no right to make tables.
      guard found ?? 0 < target else { return }
      try session.define("CREATE TABLE IF NOT EXISTS schema_lock (id BIGINT NOT NULL PRIMARY KEY)")
      try session.change("INSERT INTO schema_lock (id) VALUES (1) ON CONFLICT DO NOTHING", [])
      // Each statement sees what was committed before it: the others' work, once we have waited for it.
      session.begin("BEGIN ISOLATION LEVEL READ COMMITTED")
      var isDone = false
      defer { if !isDone { session.rollback() } }
      _ = try session.rows("SELECT id FROM schema_lock WHERE id = 1 FOR UPDATE", [])
      let session = session
      try SchemaMigration(session, dialect: .postgreSQL) { try session.define($0) }.run(upTo: target)
      for table in Self.changing {
        try session.define("ALTER TABLE \(table) SET (fillfactor = 50)")
      }
      try session.commit()
      isDone = true
      logger.info("PostgreSQL: the tables are at version \(target)")
    }

    /// Tables whose rows change all the time: a new version of a row that finds its place beside the old one leaves the
    /// indexes as they are, and so is in the way of fewer other transactions, which have read those.
    private static let changing = ["audit_heads"]

    /// The version of the tables; nil where there are none.
    private func version() throws -> Int? {
      guard try session.rows("SELECT to_regclass('schema_version') IS NULL", []).first == [.integer(0)],
        case .integer(let version)? = try session.rows("SELECT MAX(version) FROM schema_version", []).first?.first
      else { return nil }
      guard version <= Schema.version else { throw EnrollmentStoreError.unsupportedVersion(Int(clamping: version)) }
      return Int(version)
    }
  }
#endif
