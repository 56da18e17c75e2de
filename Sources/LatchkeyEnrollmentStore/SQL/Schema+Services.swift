extension Schema {
  /// Step 9: which services have tables of their own, and at which version. The row without a name is changed by the server that
  /// makes tables, so that others wait for it.
  static func services(_ dialect: SQLDialect) -> [String] {
    [
      "CREATE TABLE service_versions (name TEXT NOT NULL PRIMARY KEY, version \(dialect.integer) NOT NULL)\(dialect.clustered)",
      "INSERT INTO service_versions (name, version) VALUES ('', 0)",
    ]
  }
}
