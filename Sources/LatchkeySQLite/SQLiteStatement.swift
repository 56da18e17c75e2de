internal import CLatchkeySQLite

/// A prepared statement: arguments in, rows out. It belongs to its connection's cache and must be reset after use.
///
/// It holds its connection, whose end would end the statement. Once the connection is closed, binding and stepping fail, and no
/// column has a value.
package struct SQLiteStatement {
  private let prepared: OpaquePointer
  private let connection: SQLiteConnection

  init(handle: OpaquePointer, connection: SQLiteConnection) {
    prepared = handle
    self.connection = connection
  }

  /// Nil once the connection is closed, which frees the statement. SQLite refuses a null pointer.
  private var handle: OpaquePointer? { connection.handle == nil ? nil : prepared }

  // MARK: Arguments

  /// The number of arguments.
  package var argumentCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

  /// Binds a number to the argument of this index, which begins at 1.
  package func bind(_ value: Int64, _ index: Int32) throws(SQLiteError) {
    try check(sqlite3_bind_int64(handle, index, value))
  }

  /// Binds bytes, or NULL for nil.
  package func bind(_ bytes: [UInt8]?, _ index: Int32) throws(SQLiteError) {
    guard let bytes else { return try check(sqlite3_bind_null(handle, index)) }
    // An empty array may have no address, and no address would bind NULL.
    if bytes.isEmpty { return try check(sqlite3_bind_zeroblob(handle, index, 0)) }
    try check(
      bytes.withUnsafeBytes { sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), Self.copied) })
  }

  /// Binds a text, which may hold U+0000.
  package func bind(_ text: String, _ index: Int32) throws(SQLiteError) {
    var text = text
    let code = text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { memory in
        guard let start = memory.baseAddress, !memory.isEmpty else {
          // An empty text may have no address either.
          return sqlite3_bind_text64(handle, index, "", 0, Self.copied, UInt8(SQLITE_UTF8))
        }
        return sqlite3_bind_text64(handle, index, start, UInt64(memory.count), Self.copied, UInt8(SQLITE_UTF8))
      }
    }
    try check(code)
  }

  /// Forgets the arguments.
  package func clearArguments() { if let handle { sqlite3_clear_bindings(handle) } }

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(sqlite3_db_handle(handle)) }
  }

  /// SQLite copies what is bound (`SQLITE_TRANSIENT`).
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// The operations of SQLite's virtual machine since the last call: the work of the runs between, some for each row that was read.
  package func takeWork() -> Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)) }

  // MARK: Rows

  /// Goes on to the next row; false after the last.
  package func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw SQLiteError(sqlite3_db_handle(handle))
    }
  }

  /// Runs to the end and resets.
  package func run() throws(SQLiteError) {
    defer { reset() }
    while try step() {}
  }

  /// Ends the run, so that the statement can run again and holds no lock.
  package func reset() { sqlite3_reset(handle) }

  /// The number of columns of a row.
  package var columnCount: Int32 { sqlite3_column_count(handle) }

  /// What a column holds.
  package enum Kind {
    case null, integer, real, text, bytes
  }

  /// What `column` holds in this row.
  package func kind(_ column: Int32) -> Kind {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .bytes
    case SQLITE_FLOAT: .real
    default: .null
    }
  }

  /// The number in `column`; nil for a value of another kind.
  package func integer(_ column: Int32) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_INTEGER ? sqlite3_column_int64(handle, column) : nil
  }

  /// The size of the bytes in `column`; nil for a value of another kind.
  package func byteCount(_ column: Int32) -> Int? {
    sqlite3_column_type(handle, column) == SQLITE_BLOB ? Int(sqlite3_column_bytes(handle, column)) : nil
  }

  /// The bytes in `column`; nil for a value of another kind.
  package func bytes(_ column: Int32) -> [UInt8]? {
    guard let count = byteCount(column) else { return nil }
    guard count > 0, let start = sqlite3_column_blob(handle, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The text in `column`, U+0000 included; nil for a value of another kind.
  package func text(_ column: Int32) -> String? {
    guard sqlite3_column_type(handle, column) == SQLITE_TEXT else { return nil }
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
