import LatchkeyKeychainModel
import LatchkeySQLite

/// One of the pool's connections, while the pool lends it: SQLite's failures are the store's errors here.
struct Connection {
  let database: SQLiteConnection

  /// The file.
  var path: String { database.path }

  /// The cached statement of this text, ready for its arguments.
  func statement(_ sql: String) throws(StoreError) -> SQLStatement {
    do throws(SQLiteError) {
      return SQLStatement(statement: try database.statement(sql), path: path)
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// Runs a cached statement that has no arguments and whose rows nobody needs.
  func run(_ sql: String) throws(StoreError) {
    try statement(sql).run()
  }

  /// Runs a setting once.
  func set(_ pragma: SQLitePragma) throws(StoreError) {
    do throws(SQLiteError) { try database.execute(pragma.statement) } catch { throw StoreError(error, path: path) }
  }

  /// The one number that a statement answers; nil if it answers nothing.
  func number(_ sql: String) throws(StoreError) -> Int64? {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Moves all of the log into the file and leaves the log without a byte.
  func truncateLog() throws(StoreError) {
    do throws(SQLiteError) { try database.truncateLog() } catch { throw StoreError(error, path: path) }
  }

  /// Whether the open file is no longer the one that stands at its name.
  var hasLostFile: Bool { database.hasLostFile }

  /// The number of the open file; nil if its name stands for another one.
  var fileNumber: FileNumber? {
    guard let number = FileNumber(path), !hasLostFile, FileNumber(path) == number else { return nil }
    return number
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { database.isInTransaction }

  /// Runs `body`; a transaction that it leaves open is rolled back.
  func run<Value, Failure: Error>(_ body: (Connection) throws(Failure) -> Value) -> Result<Value, Failure> {
    defer { if isInTransaction { try? run("ROLLBACK") } }
    return Result { () throws(Failure) in try body(self) }
  }
}

/// A prepared statement whose columns hold what the keychain wrote, or are damaged. It must be reset after use.
struct SQLStatement {
  let statement: SQLiteStatement
  let path: String

  // SQLite refuses an argument only for its size, a gigabyte. The argument is NULL then, which the tables refuse.

  func bind(_ value: Int64, _ index: Int32) { try? statement.bind(value, index) }

  func bind(_ bytes: [UInt8]?, _ index: Int32) { try? statement.bind(bytes, index) }

  /// Goes on to the next row; false after the last.
  func step() throws(StoreError) -> Bool {
    do throws(SQLiteError) { return try statement.step() } catch { throw StoreError(error, path: path) }
  }

  /// Runs to the end and resets.
  func run() throws(StoreError) {
    defer { reset() }
    while try step() {}
  }

  func reset() { statement.reset() }

  func isNull(_ column: Int32) -> Bool { statement.kind(column) == .null }

  /// The number in `column`; a value of another kind is a damaged row.
  func integer(_ column: Int32) throws(StoreError) -> Int64 {
    guard let number = statement.integer(column) else { throw .damaged("a column holds something else than a number") }
    return number
  }

  /// The bytes in `column`; a value of another kind, or of another size than the one given, is a damaged row.
  func bytes(_ column: Int32, size: Int? = nil) throws(StoreError) -> [UInt8] {
    guard let bytes = statement.bytes(column) else { throw .damaged("a column holds something else than bytes") }
    if let size, bytes.count != size { throw .damaged("a column has \(bytes.count) bytes in place of \(size)") }
    return bytes
  }

  /// The bytes in `column`, nil for NULL.
  func optionalBytes(_ column: Int32) throws(StoreError) -> [UInt8]? {
    isNull(column) ? nil : try bytes(column)
  }

  /// The text in `column`; nil for a value of another kind.
  func text(_ column: Int32) -> String? { statement.text(column) }
}
