extension Schema {
  /// Step 13: the names that devices have asked for in their signing requests, and may have. Devices from before asked for none.
  ///
  /// A device that waits for an approval has no row in `devices` yet: no reference.
  static func requestedNames(_ dialect: SQLDialect) -> [String] {
    [
      """
      CREATE TABLE requested_names (
        device \(dialect.bytes) NOT NULL,
        name TEXT NOT NULL,
        PRIMARY KEY (device, name)
      )\(dialect.clustered)
      """,
      "CREATE INDEX requested_names_by_name ON requested_names (name)",
    ]
  }
}
