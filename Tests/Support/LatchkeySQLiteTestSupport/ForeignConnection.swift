import CLatchkeySQLite

/// A failure of SQLite in another program.
package struct ForeignFailure: Error, CustomStringConvertible {
  /// The extended result code (sqlite.org/rescode.html).
  package let code: Int32
  package let description: String
}

/// SQLite as another program calls it, which shares nothing with the stores but the file: for tests that read or alter a store's
/// file from outside.
///
/// `Sendable` without the compiler's proof: a test uses it in one thread at a time.
package final class ForeignConnection: @unchecked Sendable {
  /// SQLite's own connection; nil once it is closed.
  package private(set) var handle: OpaquePointer?

  /// Opens the file at `path`, and makes it if it is missing and may be written.
  ///
  /// - Parameter busyTimeout: how long a statement waits for other connections, in milliseconds.
  package init(_ path: String, isReadOnly: Bool = false, busyTimeout: Int32 = 0) throws {
    let flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK else { throw failure() }
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, busyTimeout)
  }

  deinit { close() }

  /// Closes the file; a second call does nothing.
  package func close() {
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Runs one or several statements, and ignores their rows. The statements share the arguments in their order.
  package func execute(_ sql: String, _ arguments: [any ColumnConvertible] = []) throws {
    try run(sql, arguments) { _ in }
  }

  /// Runs `body` in a transaction that writes.
  package func transaction(_ body: (ForeignConnection) throws -> Void) throws {
    try execute("BEGIN IMMEDIATE")
    do {
      try body(self)
      try execute("COMMIT")
    } catch {
      try? execute("ROLLBACK")
      throw error
    }
  }

  /// The rows of a statement.
  package func rows(_ sql: String, _ arguments: [any ColumnConvertible] = []) throws -> [ForeignRow] {
    var rows: [ForeignRow] = []
    try run(sql, arguments) { rows.append(ForeignRow($0)) }
    return rows
  }

  /// The first column of all rows.
  package func values<Value: ColumnConvertible>(
    _ sql: String, _ arguments: [any ColumnConvertible] = []
  ) throws -> [Value] {
    try rows(sql, arguments).map { row in
      guard let value = Value(row[0]) else {
        throw ForeignFailure(code: SQLITE_MISMATCH, description: "\(sql) answers \(row[0])")
      }
      return value
    }
  }

  /// The first column of the first row; nil if there is none.
  package func value<Value: ColumnConvertible>(_ sql: String, _ arguments: [any ColumnConvertible] = []) throws
    -> Value?
  {
    let values: [Value] = try values(sql, arguments)
    return values.first
  }

  /// Inserts a row with all its columns, in place of one with the same key.
  package func replace(_ row: ForeignRow, in table: String) throws {
    let names = row.names.joined(separator: ", ")
    let places = row.names.map { _ in "?" }.joined(separator: ", ")
    try execute("INSERT OR REPLACE INTO \(table)(\(names)) VALUES(\(places))", row.values)
  }

  private func run(
    _ sql: String, _ arguments: [any ColumnConvertible], _ body: (OpaquePointer) -> Void
  ) throws {
    var arguments = arguments[...]
    var rest = sql
    while true {
      var statement: OpaquePointer?
      let next = try rest.withCString { start in
        var tail: UnsafePointer<CChar>?
        guard sqlite3_prepare_v2(handle, start, -1, &statement, &tail) == SQLITE_OK else { throw failure() }
        return tail.map { String(cString: $0) } ?? ""
      }
      guard let statement else { return }
      defer { sqlite3_finalize(statement) }
      let count = Int(sqlite3_bind_parameter_count(statement))
      for (index, argument) in zip(1...Int32.max, arguments.prefix(count)) {
        argument.column.bind(to: statement, index)
      }
      arguments = arguments.dropFirst(count)
      var code = sqlite3_step(statement)
      while code == SQLITE_ROW {
        body(statement)
        code = sqlite3_step(statement)
      }
      guard code == SQLITE_DONE else { throw failure() }
      rest = next
    }
  }

  private func failure() -> ForeignFailure {
    ForeignFailure(code: sqlite3_extended_errcode(handle), description: String(cString: sqlite3_errmsg(handle)))
  }
}
