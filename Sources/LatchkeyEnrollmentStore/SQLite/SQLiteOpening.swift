internal import GRDB
internal import Glibc

/// The way from a file to a pool of connections whose tables are the latest.
struct SQLiteOpening {
  let file: SQLiteFile
  let revocations: RevocationFile
  /// Whether an empty file becomes a database.
  let isMade: Bool

  /// "LKEn": what says that a file of SQLite's is one of these.
  private static let application: Int64 = 0x4C4B_456E

  func open() throws -> DatabasePool {
    let end = ContinuousClock.now + .seconds(5)
    while true {
      do {
        return try attempt()
      } catch SQLFailure.retryable where ContinuousClock.now < end {
        // Another process makes the file, or changes its mode: SQLite does not wait for that by itself.
        usleep(2000)
      } catch let failure as SQLFailure {
        throw failure.storeError
      }
    }
  }

  private func attempt() throws -> DatabasePool {
    let pool = try connect()
    do {
      try pool.writeWithoutTransaction { try bringForward(SQLiteSession($0)) }
      return pool
    } catch {
      try? pool.close()
      throw error
    }
  }

  private func connect() throws -> DatabasePool {
    var settings = Configuration()
    settings.busyMode = .timeout(5)
    settings.maximumReaderCount = 8
    settings.foreignKeysEnabled = true
    settings.label = "enrollment-store"
    settings.prepareDatabase { database in
      let session = SQLiteSession(database)
      for pragma in ["cell_size_check = ON", "trusted_schema = OFF", "temp_store = MEMORY"] {
        try session.define("PRAGMA \(pragma)")
      }
    }
    do {
      let pool = try DatabasePool(path: file.path, configuration: settings)
      try pool.writeWithoutTransaction { database in
        let session = SQLiteSession(database)
        // GRDB has set NORMAL after the preparation above: an acknowledged commit could be lost with the power.
        try session.define("PRAGMA synchronous = FULL")
        try session.define("PRAGMA wal_autocheckpoint = 4000")
        try session.define("PRAGMA journal_size_limit = 67108864")
        try session.define("PRAGMA cache_size = -64000")
      }
      return pool
    } catch {
      throw SQLFailure(error)
    }
  }

  /// One transaction: another process sees all of it or nothing.
  private func bringForward(_ session: SQLiteSession) throws {
    try session.change("BEGIN IMMEDIATE", [])
    do {
      let application = try number("PRAGMA application_id", session)
      let tables = try number("SELECT COUNT(*) FROM sqlite_schema", session)
      guard application == Self.application || (application == 0 && tables == 0) else {
        throw EnrollmentStoreError.misuse("\(file.path) is a database of something else: name another path")
      }
      guard isMade || tables > 0 else {
        throw EnrollmentStoreError.misuse("there is nothing in \(file.path): name the database that the server has")
      }
      if tables == 0 { try session.define("PRAGMA application_id = \(Self.application)") }
      try SchemaMigration(session, dialect: .sqlite, define: session.define).run()
      let epoch = try SQLTransaction(session, chain: "").revocationEpoch()
      try revocations.validate(epoch: epoch, of: file.path)
      try session.change("COMMIT", [])
    } catch {
      _ = try? session.change("ROLLBACK", [])
      throw error
    }
  }

  private func number(_ statement: StaticString, _ session: SQLiteSession) throws -> Int64 {
    guard case .integer(let number)? = try session.rows(statement, []).first?.first else { return 0 }
    return number
  }
}
