internal import LatchkeySQLite
internal import Synchronization

/// A connection of the store, opened when its first statement runs. For one thread at a time.
final class SQLiteSession: SQLSession {
  var dialect: SQLDialect { .sqlite }

  private let open: () throws(SQLiteError) -> SQLiteConnection
  private var opened: SQLiteConnection?
  /// The same for ``interrupt()``, which another thread calls.
  private let interruptible = Atomic<Unmanaged<SQLiteConnection>?>(nil)

  /// A session over a connection that `open` opens.
  init(open: @escaping () throws(SQLiteError) -> SQLiteConnection) { self.open = open }

  /// A session over an open connection.
  init(_ connection: SQLiteConnection) {
    opened = connection
    interruptible.store(.passUnretained(connection), ordering: .releasing)
    open = { () throws(SQLiteError) in connection }
  }

  func rows(_ statement: StaticString, _ arguments: [SQLValue]) throws -> [[SQLValue]] {
    try run(statement, arguments) { (statement, _) throws(SQLiteError) in
      var rows: [[SQLValue]] = []
      while try statement.step() {
        rows.append((0..<statement.columnCount).map { SQLValue(statement, column: $0) })
      }
      return rows
    }
  }

  @discardableResult
  func change(_ statement: StaticString, _ arguments: [SQLValue]) throws -> Int {
    try run(statement, arguments) { (statement, connection) throws(SQLiteError) in
      while try statement.step() {}
      return connection.changedRows
    }
  }

  /// Runs a text that is not cached: a definition, or a setting of the connection.
  func define(_ text: String) throws {
    do throws(SQLiteError) { try connection().execute(text) } catch { throw SQLFailure(error) }
  }

  /// Closes the connection; the next statement opens another one.
  func close() {
    interruptible.store(nil, ordering: .releasing)
    try? opened?.close()
    opened = nil
  }

  /// Ends the statement that runs, from any thread, while this session is used.
  func interrupt() { interruptible.load(ordering: .acquiring)?.takeUnretainedValue().interrupt() }

  private func connection() throws(SQLiteError) -> SQLiteConnection {
    if let opened { return opened }
    let connection = try open()
    opened = connection
    interruptible.store(.passUnretained(connection), ordering: .releasing)
    return connection
  }

  private func run<Value>(
    _ text: StaticString, _ arguments: [SQLValue],
    _ body: (SQLiteStatement, SQLiteConnection) throws(SQLiteError) -> Value
  ) throws -> Value {
    do {
      let connection = try connection()
      let statement = try connection.statement(compiled: text)
      guard statement.argumentCount == arguments.count else {
        throw SQLFailure.refused("a statement of the store lacks arguments: report it")
      }
      defer {
        statement.reset()
        statement.clearArguments()
      }
      for (index, argument) in zip(Int32(1)..., arguments) { try argument.bind(to: statement, index) }
      return try body(statement, connection)
    } catch let failure as SQLiteError {
      throw SQLFailure(failure)
    }
  }
}

extension SQLValue {
  fileprivate func bind(to statement: SQLiteStatement, _ index: Int32) throws(SQLiteError) {
    switch self {
    case .null: try statement.bind(nil, index)
    case .integer(let number): try statement.bind(number, index)
    case .text(let text): try statement.bind(text, index)
    case .bytes(let bytes): try statement.bind(bytes, index)
    }
  }

  fileprivate init(_ statement: SQLiteStatement, column: Int32) {
    self =
      switch statement.kind(column) {
      case .integer: SQLValue(statement.integer(column))
      case .text: SQLValue(statement.text(column))
      case .bytes: SQLValue(statement.bytes(column))
      // The schema has no fractions: a reader that meets one finds damage.
      case .null, .real: .null
      }
  }
}
