/// The few words in which the databases' definitions of tables differ. Statements do not differ at all.
public struct SQLDialect: Sendable {
  /// The type of bytes.
  public let bytes: String
  /// The type of whole numbers, 64 bits.
  public let integer: String
  /// What stands after the definition of a table that lies in the order of its primary key.
  public let clustered: String
  /// The same for a table whose rows change all the time: room beside each row, so that a new version of it leaves the indexes as
  /// they are, and is in the way of fewer other transactions.
  public let clusteredAndChanging: String

  /// An expression whose value is a column's bytes in lower-case hexadecimal: before and behind the column.
  private let hexadecimal: (before: String, behind: String)

  /// The text of bytes, as ``Identifier`` writes them.
  func hexadecimal(_ column: String) -> String { hexadecimal.before + column + hexadecimal.behind }

  /// Whether this is SQLite's.
  let isSQLite: Bool

  /// The definitions that drop foreign keys of a table: those of these names that it has. None for SQLite, which keeps a table's
  /// constraints as long as the table.
  public func droppingForeignKeys(_ names: [String], of table: String) -> [String] {
    isSQLite ? [] : names.map { "ALTER TABLE \(table) DROP CONSTRAINT IF EXISTS \($0)" }
  }

  /// SQLite 3.37 or later: types are enforced (`STRICT`), and a table is its primary key's index.
  public static let sqlite = SQLDialect(
    bytes: "BLOB", integer: "INTEGER", clustered: " WITHOUT ROWID, STRICT",
    clusteredAndChanging: " WITHOUT ROWID, STRICT",
    hexadecimal: ("lower(hex(", "))"), isSQLite: true)
  /// PostgreSQL, and what speaks its language.
  public static let postgreSQL = SQLDialect(
    bytes: "BYTEA", integer: "BIGINT", clustered: "", clusteredAndChanging: " WITH (fillfactor = 50)",
    hexadecimal: ("encode(", ", 'hex')"), isSQLite: false)
}
