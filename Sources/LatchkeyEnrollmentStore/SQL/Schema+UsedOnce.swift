extension Schema {
  /// Step 15, for SQLite alone: nonces and answers lie in the order of their arrival, as PostgreSQL has them.
  ///
  /// Their keys are random. In the order of the key each new row changed a page of its own, and another one of the index by
  /// end, which then repeats the key: four pages of the log for each signed request. In the order of arrival the rows of a
  /// commit, and their places by end, are together on few pages; the key's index alone is not.
  ///
  /// However many there are, they are not in memory at once: they are copied by the index that has their order, and a statement that may
  /// fail alone, as a plain INSERT and DROP TABLE may, would keep what it overwrites and frees (`SQLitePragma.temporaryInMemory`).
  static func usedOnceInOrder(_ dialect: SQLDialect) -> [String] {
    guard dialect.isSQLite else { return [] }
    return [
      "ALTER TABLE nonces RENAME TO nonces_by_key",
      """
      CREATE TABLE nonces (
        device BLOB NOT NULL,
        nonce BLOB NOT NULL,
        expires INTEGER NOT NULL,
        PRIMARY KEY (device, nonce)
      ) STRICT
      """,
      """
      INSERT OR ROLLBACK INTO nonces (device, nonce, expires)
      SELECT device, nonce, expires FROM nonces_by_key INDEXED BY nonces_by_end ORDER BY expires
      """,
      "DELETE FROM nonces_by_key", "DROP TABLE nonces_by_key",
      "CREATE INDEX nonces_by_end ON nonces (expires)",
      "ALTER TABLE answers RENAME TO answers_by_key",
      """
      CREATE TABLE answers (
        scope TEXT NOT NULL,
        request TEXT NOT NULL,
        fingerprint BLOB NOT NULL,
        status INTEGER NOT NULL,
        body BLOB NOT NULL,
        expires INTEGER NOT NULL,
        PRIMARY KEY (scope, request)
      ) STRICT
      """,
      """
      INSERT OR ROLLBACK INTO answers (scope, request, fingerprint, status, body, expires)
      SELECT scope, request, fingerprint, status, body, expires FROM answers_by_key INDEXED BY answers_by_end ORDER BY expires
      """,
      "DELETE FROM answers_by_key", "DROP TABLE answers_by_key",
      "CREATE INDEX answers_by_end ON answers (expires)",
    ]
  }
}
