import GRDB
import GRDBSQLite
import LatchkeyKeychainModel

/// One of the pool's connections, for as long as the pool lends it. Statements run through SQLite's own calls, on
/// statements that GRDB prepared and keeps.
struct Connection {
  let database: Database
  let path: String

  /// The cached statement of this text, ready for its arguments.
  func statement(_ sql: String) throws(StoreError) -> SQLStatement {
    do {
      return SQLStatement(handle: try database.cachedStatement(sql: sql).sqliteStatement, path: path)
    } catch {
      throw StoreError(database: error, path: path)
    }
  }

  /// Runs a statement that takes no arguments and whose rows nobody wants.
  func run(_ sql: String) throws(StoreError) {
    try statement(sql).run()
  }

  /// The one number that a statement answers; nil if it answers nothing.
  func number(_ sql: String) throws(StoreError) -> Int64? {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Whether the file that is open is not the one any more that its name stands for.
  var hasLostFile: Bool {
    var hasMoved: Int32 = 0
    return sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK
      && hasMoved != 0
  }

  /// The number of the file that is open; nil if its name does not stand for it any more.
  var fileNumber: FileNumber? {
    guard let number = FileNumber(path), !hasLostFile, FileNumber(path) == number else { return nil }
    return number
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool {
    guard let handle = database.sqliteConnection else { return false }
    return sqlite3_get_autocommit(handle) == 0
  }
}

/// A prepared statement: arguments in, rows out. It must be reset after use.
struct SQLStatement {
  let handle: OpaquePointer
  let path: String

  func bind(_ value: Int64, _ index: Int32) { sqlite3_bind_int64(handle, index, value) }

  func bind(_ bytes: [UInt8]?, _ index: Int32) {
    guard let bytes else {
      sqlite3_bind_null(handle, index)
      return
    }
    // An empty array may have no address, and no address would bind NULL.
    if bytes.isEmpty {
      sqlite3_bind_zeroblob(handle, index, 0)
    } else {
      bytes.withUnsafeBytes { memory in
        _ = sqlite3_bind_blob(
          handle, index, memory.baseAddress, Int32(truncatingIfNeeded: memory.count), Self.copied)
      }
    }
  }

  /// Goes on to the next row; false after the last.
  func step() throws(StoreError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw StoreError(connection: sqlite3_db_handle(handle), path: path)
    }
  }

  /// Runs to the end and resets.
  func run() throws(StoreError) {
    defer { reset() }
    while try step() {}
  }

  func reset() { sqlite3_reset(handle) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// The number in `column`; a value of another kind counts as a damaged row.
  func integer(_ column: Int32) throws(StoreError) -> Int64 {
    guard sqlite3_column_type(handle, column) == SQLITE_INTEGER else {
      throw .damaged("a column holds something else than a number")
    }
    return sqlite3_column_int64(handle, column)
  }

  /// The bytes in `column`; a value of another kind, or of another size than the one given, counts as a damaged row.
  func bytes(_ column: Int32, size: Int? = nil) throws(StoreError) -> [UInt8] {
    guard sqlite3_column_type(handle, column) == SQLITE_BLOB else {
      throw .damaged("a column holds something else than bytes")
    }
    let count = Int(sqlite3_column_bytes(handle, column))
    if let size, count != size { throw .damaged("a column has \(count) bytes in place of \(size)") }
    guard count > 0, let start = sqlite3_column_blob(handle, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The bytes in `column`, nil for NULL.
  func optionalBytes(_ column: Int32) throws(StoreError) -> [UInt8]? {
    isNull(column) ? nil : try bytes(column)
  }

  /// The text in `column`; nil for anything else.
  func text(_ column: Int32) -> String? {
    guard sqlite3_column_type(handle, column) == SQLITE_TEXT, let start = sqlite3_column_text(handle, column) else {
      return nil
    }
    return String(cString: start)
  }

  /// SQLite copies what is bound (`SQLITE_TRANSIENT`).
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
