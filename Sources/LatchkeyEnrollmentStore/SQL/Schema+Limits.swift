extension Schema {
  /// Step 19: what servers tell each other about their limits, a row for each server.
  static func limits(_ dialect: SQLDialect) -> [String] {
    let (bytes, integer) = (dialect.bytes, dialect.integer)
    return [
      """
      CREATE TABLE limit_reports (
        node TEXT NOT NULL PRIMARY KEY,
        session \(bytes) NOT NULL,
        sequence \(integer) NOT NULL,
        expires \(integer) NOT NULL,
        counts \(bytes) NOT NULL
      )\(dialect.clusteredAndChanging)
      """
    ]
  }
}
