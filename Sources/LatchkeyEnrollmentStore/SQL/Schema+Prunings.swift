extension Schema {
  /// Step 11: where the audit chains begin that were pruned.
  static func prunings(_ dialect: SQLDialect) -> [String] {
    let (bytes, integer) = (dialect.bytes, dialect.integer)
    return [
      """
      CREATE TABLE audit_prunings (
        node TEXT NOT NULL PRIMARY KEY,
        sequence \(integer) NOT NULL CHECK (sequence > 0),
        hash \(bytes) NOT NULL,
        before \(integer) NOT NULL,
        time \(integer) NOT NULL,
        signature \(bytes) NOT NULL
      )\(dialect.clustered)
      """
    ]
  }

  /// Pages of lists of one user or one device are read in their order, however many records others have.
  static let pages = [
    "DROP INDEX devices_of_user",
    "CREATE INDEX devices_of_user ON devices (user_name, id)",
    "DROP INDEX certificates_of_device",
    "CREATE INDEX certificates_of_device ON certificates (device, fingerprint)",
    "DROP INDEX tokens_of_user",
    "CREATE INDEX tokens_of_user ON tokens (user_name, hash)",
  ]
}
