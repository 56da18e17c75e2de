/// Brings a database forward to ``Schema/version``, inside a transaction of the caller's that keeps others out.
package struct SchemaMigration {
  private let session: any SQLSession
  private let dialect: SQLDialect
  private let define: (String) throws -> Void

  /// A migration through `session`.
  ///
  /// - Parameter define: runs one definition of a table or index on the same connection.
  package init(_ session: any SQLSession, dialect: SQLDialect, define: @escaping (String) throws -> Void) {
    self.session = session
    self.dialect = dialect
    self.define = define
  }

  /// Takes the steps that are missing. Nothing is written where none is.
  ///
  /// - Parameter target: where to stop; for tests of old versions.
  /// - Throws: `.unsupportedVersion` for a database of a later program.
  package func run(upTo target: Int = Schema.version) throws {
    try define("CREATE TABLE IF NOT EXISTS schema_version (version \(dialect.integer) NOT NULL PRIMARY KEY)")
    let found = try session.rows("SELECT MAX(version) FROM schema_version", [])
    var version = 0
    if case .integer(let number)? = found.first?.first {
      version = Int(clamping: number)
    }
    guard (0...Schema.version).contains(version) else { throw EnrollmentStoreError.unsupportedVersion(version) }
    // Up to version 8 every database had the bank.
    let hasBank = version > 0 || target < 9
    while version < target {
      version += 1
      for definition in Schema.step(version, in: dialect, hasBank: hasBank) { try define(definition) }
      try session.change("INSERT INTO schema_version (version) VALUES ($1)", [.integer(Int64(version))])
    }
  }
}
