import LatchkeyEnrollmentStore

/// Rows of a fleet: one user has all devices, and the first of them half of the certificates.
struct ListFilling {
  /// An expression whose value is the bytes of a text.
  private let bytes: (String) -> String
  /// The fields of an audit entry that has none.
  private let noFields: String

  init(_ dialect: SQLDialect) {
    let isSQLite = dialect.bytes == "BLOB"
    bytes = isSQLite ? { "CAST(\($0) AS BLOB)" } : { "convert_to(\($0), 'UTF8')" }
    noFields = isSQLite ? "x'00000000'" : "decode('00000000', 'hex')"
  }

  /// The statements that add rows from the number `first` on.
  func statements(from first: Int, count: Int) -> [String] {
    let numbers =
      "WITH RECURSIVE n (i) AS (SELECT \(first) UNION ALL SELECT i + 1 FROM n WHERE i < \(first + count - 1)) "
    // In no order, so that new keys are among the old ones.
    let digits = "substr(CAST(100000000 + (i * 7919) % 1000003 AS TEXT), 2)"
    let (id, hash) = (bytes("'\(Self.zeros(8))' || \(digits)"), bytes("'\(Self.zeros(24))' || \(digits)"))
    let owner = "CASE WHEN i % 2 = 0 THEN \(bytes("'\(Self.zeros(16))'")) ELSE \(id) END"
    let revoked = "CASE WHEN i % 10 = 0 THEN 1 END"
    return [
      "INSERT INTO users (name, failures) \(numbers) SELECT 'u' || \(digits), 0 FROM n",
      "INSERT INTO users (name, failures) VALUES ('fleet', 0) ON CONFLICT DO NOTHING",
      """
      INSERT INTO devices (id, user_name, name, created, identity_key) VALUES
        (\(bytes("'\(Self.zeros(16))'")), 'fleet', 'first', 0, \(bytes("'key'"))) ON CONFLICT DO NOTHING
      """,
      """
      INSERT INTO devices (id, user_name, name, created, identity_key, revoked)
      \(numbers) SELECT \(id), 'fleet', 'd' || i, i, \(bytes("'key'")), \(revoked) FROM n
      """,
      """
      INSERT INTO certificates (fingerprint, serial, device, not_after, revoked)
      \(numbers) SELECT \(hash), \(id), \(owner), 3000000000, \(revoked) FROM n
      """,
      """
      INSERT INTO tokens (hash, user_name, expires, has_registered)
      \(numbers) SELECT \(hash), 'fleet', CASE WHEN i % 2 = 0 THEN 1 ELSE 3000000000 END, 0 FROM n
      """,
      """
      INSERT INTO enrollment_tokens (id, hash, user_name, profile, created, expires)
      \(numbers) SELECT \(id), \(hash), 'fleet', 'default', i % 1000, 3000000000 FROM n
      """,
      """
      INSERT INTO pending_devices
        (id, user_name, name, profile, identity_key, identity_evidence, request, fingerprint, created, expires, decided, is_approved)
      \(numbers) SELECT \(id), 'fleet', 'p' || i, 'default', \(bytes("'key'")), 'none', 'r' || i, \(hash), i % 1000,
        CASE WHEN i % 2 = 0 THEN 1 ELSE 3000000000 END, CASE WHEN i % 3 = 0 THEN 1 END, CASE WHEN i % 3 = 0 THEN 0 END FROM n
      """,
      """
      INSERT INTO requested_names (device, name) \(numbers) SELECT \(id), 'n' || i FROM n
      """,
      """
      INSERT INTO audit_entries (node, sequence, event, time, fields, previous, hash)
      \(numbers) SELECT 'node', i, 'device.registered', i, \(noFields), \(hash), \(hash) FROM n
      """,
    ]
  }

  private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
}
