extension Schema {
  /// Step 7: users who are disabled, and administrators with their roles.
  static func administration(_ dialect: SQLDialect) -> [String] {
    let (bytes, integer) = (dialect.bytes, dialect.integer)
    return [
      "ALTER TABLE users ADD COLUMN disabled \(integer)",
      """
      CREATE TABLE administrators (
        name TEXT NOT NULL PRIMARY KEY,
        role TEXT NOT NULL,
        created \(integer) NOT NULL,
        token_hash \(bytes) UNIQUE,
        fingerprint \(bytes) UNIQUE
      )\(dialect.clustered)
      """,
      "CREATE INDEX tokens_of_user ON tokens (user_name)",
      "CREATE INDEX certificates_by_end ON certificates (not_after)",
    ]
  }
}
