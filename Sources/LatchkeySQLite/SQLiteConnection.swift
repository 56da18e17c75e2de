internal import CLatchkeySQLite

/// An open database file, with the statements that it has prepared.
///
/// `Sendable` without the compiler's proof: a connection is used by one thread at a time. Its owner, a pool or a worker, lends
/// it to one caller and takes it back before the next.
package final class SQLiteConnection: @unchecked Sendable {
  /// The file.
  package let path: String
  /// SQLite's own connection; nil once it is closed.
  private(set) var handle: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]
  private var staticStatements: [UnsafeRawPointer: OpaquePointer] = [:]

  /// Opens the file at `path`, sets what the options say, and reads the first page, so that a file of another kind is found here.
  package init(path: String, options: SQLiteOptions) throws(SQLiteError) {
    self.path = path
    guard !path.utf8.contains(0) else {
      throw SQLiteError(code: SQLITE_CANTOPEN, message: "a path contains no zero character")
    }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(options.name(path), &opened, options.flags, nil)
    guard code == SQLITE_OK else {
      defer { sqlite3_close(opened) }
      guard opened != nil else { throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code))) }
      throw SQLiteError(opened)
    }
    handle = opened
    sqlite3_extended_result_codes(opened, 1)
    setBusyTimeout(options.busyTimeout)
    guard latchkey_sqlite_refuse_double_quoted_literals(opened) == SQLITE_OK else { throw SQLiteError(opened) }
    if options.enforcesForeignKeys { try execute("PRAGMA foreign_keys = ON") }
    // SQLite refuses a change of the journal mode at once, without its own wait, while another process makes the same change.
    let wait = BusyWait(seconds: Double(options.busyTimeout) / 1000)
    for pragma in options.pragmas {
      try wait.run(isBusy: { (error: SQLiteError) in error.kind == .busy }) { () throws(SQLiteError) in
        try execute(pragma.statement)
      }
    }
    if options.keepsLog { keepLog() }
    try execute("SELECT * FROM sqlite_master LIMIT 1")
  }

  deinit { if let handle { closeStatements(); sqlite3_close_v2(handle) } }

  /// Closes the file. Statements end with it; a second call does nothing.
  package func close() throws(SQLiteError) {
    guard let handle else { return }
    closeStatements()
    self.handle = nil
    guard sqlite3_close(handle) == SQLITE_OK else {
      defer { sqlite3_close_v2(handle) }
      throw SQLiteError(handle)
    }
  }

  private func closeStatements() {
    for statement in statements.values { sqlite3_finalize(statement) }
    for statement in staticStatements.values { sqlite3_finalize(statement) }
    statements = [:]
    staticStatements = [:]
  }

  // MARK: Statements

  /// The statement of this text, prepared once and cached, ready for its arguments.
  package func statement(_ text: String) throws(SQLiteError) -> SQLiteStatement {
    if let cached = statements[text] { return SQLiteStatement(handle: cached, connection: self) }
    let prepared = try prepare(text)
    statements[text] = prepared
    return SQLiteStatement(handle: prepared, connection: self)
  }

  /// The same for a text that is compiled in, which the cache finds by its address.
  package func statement(compiled text: StaticString) throws(SQLiteError) -> SQLiteStatement {
    guard text.hasPointerRepresentation else { return try statement(text.description) }
    let key = UnsafeRawPointer(text.utf8Start)
    if let cached = staticStatements[key] { return SQLiteStatement(handle: cached, connection: self) }
    let prepared = try prepare(text.description)
    staticStatements[key] = prepared
    return SQLiteStatement(handle: prepared, connection: self)
  }

  private func prepare(_ text: String) throws(SQLiteError) -> OpaquePointer {
    var prepared: OpaquePointer?
    guard let handle else { throw SQLiteError(nil) }
    guard sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil) == SQLITE_OK else {
      throw SQLiteError(handle)
    }
    guard let prepared else { throw SQLiteError(code: SQLITE_MISUSE, message: "the statement is empty") }
    return prepared
  }

  /// Ends the statement that runs, with an error; without one it does nothing. From any thread, while the connection is open.
  package func interrupt() { if let handle { sqlite3_interrupt(handle) } }

  /// Runs one or several statements that are not cached and whose rows nobody needs.
  package func execute(_ text: String) throws(SQLiteError) {
    guard let handle else { throw SQLiteError(nil) }
    guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw SQLiteError(handle) }
  }

  /// The number of rows that the last statement changed.
  package var changedRows: Int { handle.map { Int(sqlite3_changes($0)) } ?? 0 }

  /// The number of the row that was inserted last.
  package var lastInsertedRow: Int64 { handle.map { sqlite3_last_insert_rowid($0) } ?? 0 }

  // MARK: Transactions

  /// Whether a transaction is open.
  package var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

  /// How long statements wait for other connections from now on, in milliseconds.
  package func setBusyTimeout(_ milliseconds: Int32) {
    if let handle { sqlite3_busy_timeout(handle, milliseconds) }
  }

  /// Moves all of the log into the file and leaves the log without a byte.
  package func truncateLog() throws(SQLiteError) {
    guard let handle else { throw SQLiteError(nil) }
    guard sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK else {
      throw SQLiteError(handle)
    }
  }
}
