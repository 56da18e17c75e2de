/// A connection inside a transaction, as the verbs need it: the same statements on every database.
///
/// A statement is static text with `$1`, `$2`, … in the order of their first use, so that each connection prepares it once.
public protocol SQLSession: AnyObject {
  /// How the database spells definitions.
  var dialect: SQLDialect { get }
  /// Runs one definition of a table or an index, a text that is made at run time and not prepared.
  func define(_ text: String) throws
  /// Runs a statement and gives its rows.
  func rows(_ statement: StaticString, _ arguments: [SQLValue]) throws -> [[SQLValue]]
  /// Runs a statement and gives the number of rows it changed.
  @discardableResult
  func change(_ statement: StaticString, _ arguments: [SQLValue]) throws -> Int
  /// Begins a statement that changes rows, and gives how many. A session whose database is another process may send it with the next
  /// statement, whose round trip is then that of both: all run in the order in which they were begun.
  ///
  /// - Throws: what kept it from being begun; what the statement itself fails with is thrown by its result, and by ``settle()``.
  @discardableResult
  func beginChange(_ statement: StaticString, _ arguments: [SQLValue]) throws -> SQLLater<Int>
  /// Waits for all that was begun.
  ///
  /// - Throws: the first failure.
  func settle() throws
}

/// A session that waits for nothing, as one of a file in this process.
extension SQLSession {
  /// Runs the statement now.
  @discardableResult
  public func beginChange(_ statement: StaticString, _ arguments: [SQLValue]) throws -> SQLLater<Int> {
    SQLLater(try change(statement, arguments))
  }

  /// There is nothing to wait for.
  public func settle() throws {}
}

/// A value of a column.
public enum SQLValue: Sendable, Hashable {
  /// NULL.
  case null
  /// INTEGER, BIGINT.
  case integer(Int64)
  /// TEXT.
  case text(String)
  /// BLOB, BYTEA.
  case bytes([UInt8])
}
