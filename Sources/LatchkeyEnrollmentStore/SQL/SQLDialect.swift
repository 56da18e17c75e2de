/// The few words in which the databases' definitions of tables differ. Statements do not differ at all.
package struct SQLDialect: Sendable {
  /// The type of bytes.
  package let bytes: String
  /// The type of whole numbers, 64 bits.
  package let integer: String
  /// What stands after the definition of a table that lies in the order of its primary key.
  package let clustered: String

  /// An expression whose value is a column's bytes in lower-case hexadecimal: before and behind the column.
  private let hexadecimal: (before: String, behind: String)

  /// The text of bytes, as ``Identifier`` writes them.
  package func hexadecimal(_ column: String) -> String { hexadecimal.before + column + hexadecimal.behind }

  /// SQLite 3.37 or later: types are enforced (`STRICT`), and a table is its primary key's index.
  package static let sqlite = SQLDialect(
    bytes: "BLOB", integer: "INTEGER", clustered: " WITHOUT ROWID, STRICT",
    hexadecimal: ("lower(hex(", "))"))
  /// PostgreSQL, and what speaks its language.
  package static let postgreSQL = SQLDialect(
    bytes: "BYTEA", integer: "BIGINT", clustered: "", hexadecimal: ("encode(", ", 'hex')"))
}
