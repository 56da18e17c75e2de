internal import LatchkeySQLite

/// The way from a file to a connection that writes, whose tables are the latest.
struct SQLiteOpening {
  let file: SQLiteFile
  let revocations: RevocationFile
  /// Whether an empty file becomes a database.
  let isMade: Bool

  /// "LKEn": the application identifier of this store's databases.
  static let application: Int64 = 0x4C4B_456E
  /// How long a statement, and the opening, waits for other processes, in seconds.
  private static let patience = 5.0

  func open() throws -> SQLiteConnection {
    do {
      return try BusyWait(seconds: Self.patience).run(isBusy: Self.isRetryable) { try attempt() }
    } catch let failure as SQLFailure {
      throw failure.storeError
    }
  }

  /// Opens a connection that reads, beside the one that writes.
  static func reader(_ path: String) throws(SQLiteError) -> SQLiteConnection {
    try SQLiteConnection(path: path, options: options(.readOnly))
  }

  private static func options(_ access: SQLiteOptions.Access) -> SQLiteOptions {
    var options = SQLiteOptions(access, busyTimeout: patience)
    options.enforcesForeignKeys = true
    options.pragmas = SQLitePragma.hardened
    return options
  }

  private static func isRetryable(_ error: any Error) -> Bool {
    if case .retryable? = error as? SQLFailure { true } else { false }
  }

  private func attempt() throws -> SQLiteConnection {
    let connection = try connect()
    do {
      try bringForward(SQLiteSession(connection))
      return connection
    } catch {
      try? connection.close()
      throw error
    }
  }

  private func connect() throws(SQLFailure) -> SQLiteConnection {
    do throws(SQLiteError) {
      var options = Self.options(.readWrite)
      options.pragmas += [.writeAheadLog] + SQLitePragma.durableLog + [.cache(kibibytes: 64000)]
      return try SQLiteConnection(path: file.path, options: options)
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
