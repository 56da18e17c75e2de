extension SQLTransaction {
  package func serviceVersion(_ name: String) throws -> Int? {
    try row("SELECT version FROM service_versions WHERE name = $1", [.text(name)]).map {
      Int(clamping: try $0.integer(0))
    }
  }

  package func bringForward(_ schema: ServiceSchema) throws {
    let found = try serviceVersion(schema.name) ?? 0
    guard found <= schema.steps.count else {
      throw EnrollmentStoreError.misuse(
        "the tables of the service \(schema.name) are at version \(found), and this program knows \(schema.steps.count): update it"
      )
    }
    guard found < schema.steps.count else { return }
    // Servers that start at once take turns: the second one fails here, and begins again.
    try change("UPDATE service_versions SET version = version + 1 WHERE name = ''", [])
    for step in schema.steps[found...] {
      for definition in step(session.dialect) {
        do { try session.define(definition) } catch { throw failed(error) }
      }
    }
    try change(
      """
      INSERT INTO service_versions (name, version) VALUES ($1, $2)
      ON CONFLICT (name) DO UPDATE SET version = excluded.version
      """, [.text(schema.name), .integer(Int64(schema.steps.count))])
  }

  package func hasRecords() throws -> Bool {
    for statement: StaticString in [
      "SELECT name FROM users LIMIT 1", "SELECT id FROM devices LIMIT 1", "SELECT serial FROM certificates LIMIT 1",
    ] where try row(statement) != nil {
      return true
    }
    return try revocationEpoch() > 0
  }

  package func hasDevices() throws -> Bool { try row("SELECT id FROM devices LIMIT 1") != nil }
}
