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
