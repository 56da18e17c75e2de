internal import GRDB
internal import GRDBSQLite

/// One of the pool's connections, for as long as the pool lends it. Statements run through SQLite's own calls, on statements
/// that GRDB prepared: its rows and arguments are dearer than the whole statement.
final class SQLiteSession: SQLSession {
  private let database: Database
  private var prepared: [UnsafeRawPointer: Statement] = [:]

  init(_ database: Database) { self.database = database }

  func rows(_ statement: StaticString, _ arguments: [SQLValue]) throws -> [[SQLValue]] {
    let handle = try prepare(statement, arguments)
    defer { release(handle) }
    var rows: [[SQLValue]] = []
    while try step(handle) {
      rows.append((0..<sqlite3_column_count(handle)).map { value(handle, $0) })
    }
    return rows
  }

  @discardableResult
  func change(_ statement: StaticString, _ arguments: [SQLValue]) throws -> Int {
    let handle = try prepare(statement, arguments)
    defer { release(handle) }
    while try step(handle) {}
    return Int(sqlite3_changes(database.sqliteConnection))
  }

  /// Runs a text that is not kept: a definition, or a setting of the connection.
  func define(_ text: String) throws {
    let code = sqlite3_exec(database.sqliteConnection, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure() }
  }

  // MARK: Statements

  private func prepare(_ statement: StaticString, _ arguments: [SQLValue]) throws -> OpaquePointer {
    let handle = try handle(statement)
    guard sqlite3_bind_parameter_count(handle) == arguments.count else {
      throw SQLFailure.refused("a statement of the store lacks arguments: report it")
    }
    for (index, argument) in zip(Int32(1)..., arguments) {
      guard bind(argument, handle, index) == SQLITE_OK else {
        sqlite3_clear_bindings(handle)
        throw failure()
      }
    }
    return handle
  }

  private func handle(_ statement: StaticString) throws -> OpaquePointer {
    let key = UnsafeRawPointer(statement.utf8Start)
    if let known = prepared[key] { return known.sqliteStatement }
    do {
      let new = try database.cachedStatement(sql: statement.description)
      prepared[key] = new
      return new.sqliteStatement
    } catch {
      throw SQLFailure(error)
    }
  }

  private func step(_ handle: OpaquePointer) throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw failure()
    }
  }

  private func release(_ handle: OpaquePointer) {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  private func failure() -> SQLFailure {
    let connection = database.sqliteConnection
    return SQLFailure(
      code: sqlite3_extended_errcode(connection),
      message: sqlite3_errmsg(connection).map { String(cString: $0) } ?? "")
  }

  // MARK: Values

  /// SQLite copies what is bound (`SQLITE_TRANSIENT`).
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private func bind(_ value: SQLValue, _ handle: OpaquePointer, _ index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(handle, index)
    case .integer(let number): return sqlite3_bind_int64(handle, index, number)
    case .text(var text):
      return text.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) { memory in
          // An empty text may have no address, and no address would bind NULL.
          sqlite3_bind_text64(
            handle, index, memory.baseAddress ?? Self.nothing, UInt64(memory.count), Self.copied, UInt8(SQLITE_UTF8))
        }
      }
    case .bytes(let bytes):
      if bytes.isEmpty { return sqlite3_bind_zeroblob(handle, index, 0) }
      return bytes.withUnsafeBytes {
        sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), Self.copied)
      }
    }
  }

  nonisolated(unsafe) private static let nothing: UnsafePointer<CChar> = {
    let memory = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    memory.initialize(to: 0)
    return UnsafePointer(memory)
  }()

  private func value(_ handle: OpaquePointer, _ column: Int32) -> SQLValue {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
    case SQLITE_TEXT:
      guard let start = sqlite3_column_text(handle, column) else { return .text("") }
      let count = Int(sqlite3_column_bytes(handle, column))
      return .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      guard let start = sqlite3_column_blob(handle, column) else { return .bytes([]) }
      return .bytes([UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))))
    // There are no fractions in the schema: a reader that meets one finds damage.
    default: return .null
    }
  }
}
