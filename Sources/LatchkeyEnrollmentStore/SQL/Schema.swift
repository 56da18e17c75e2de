/// The tables, as numbered steps from nothing: a database at version `n` has taken the first `n`. A step that was ever
/// released never changes; what comes later is a step of its own.
package enum Schema {
  /// The version that this program writes.
  package static let version = 19

  /// The definitions of a step, in order.
  ///
  /// - Parameter hasBank: whether the database has the tables of the bank, which up to version 8 were the core's.
  static func step(_ number: Int, in dialect: SQLDialect, hasBank: Bool) -> [String] {
    switch number {
    case 1: people(dialect) + usedOnce(dialect) + (hasBank ? bank(dialect) : []) + audit(dialect)
    case 2: ends
    case 3: answersOfUsers(dialect) + policy(dialect) + (hasBank ? spending(dialect) : [])
    case 4: places(dialect)
    case 5: hasBank ? dates(dialect) : []
    case 6: enrollmentTokens(dialect)
    case 7: administration(dialect)
    case 8: issuers(dialect)
    case 9: services(dialect) + (hasBank ? bankAsService(dialect) : [])
    case 10: approvals(dialect)
    case 11: prunings(dialect) + pages
    case 13: requestedNames(dialect)
    case 15: usedOnceInOrder(dialect)
    case 16: acme(dialect)
    case 18: lists
    case 19: limits(dialect)
    // 12, 14 and 17 never had definitions.
    default: []
    }
  }

  private static func people(_ dialect: SQLDialect) -> [String] {
    let (bytes, integer) = (dialect.bytes, dialect.integer)
    return [
      """
      CREATE TABLE users (
        name TEXT NOT NULL PRIMARY KEY,
        password_hash TEXT,
        failures \(integer) NOT NULL,
        locked_until \(integer)
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE tokens (
        hash \(bytes) NOT NULL PRIMARY KEY,
        user_name TEXT NOT NULL REFERENCES users (name),
        device \(bytes),
        expires \(integer) NOT NULL,
        has_registered \(integer) NOT NULL
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE devices (
        id \(bytes) NOT NULL PRIMARY KEY,
        user_name TEXT NOT NULL REFERENCES users (name),
        name TEXT NOT NULL,
        created \(integer) NOT NULL,
        revoked \(integer),
        identity_key \(bytes) NOT NULL,
        approval_key \(bytes),
        approval_evidence TEXT
      )\(dialect.clustered)
      """,
      "CREATE INDEX devices_of_user ON devices (user_name)",
      """
      CREATE TABLE certificates (
        fingerprint \(bytes) NOT NULL PRIMARY KEY,
        serial \(bytes) NOT NULL UNIQUE,
        device \(bytes) NOT NULL REFERENCES devices (id),
        not_after \(integer) NOT NULL,
        revoked \(integer),
        reason \(integer)
      )\(dialect.clustered)
      """,
      "CREATE INDEX certificates_of_device ON certificates (device)",
      "CREATE INDEX certificates_revoked ON certificates (not_after) WHERE revoked IS NOT NULL",
      "CREATE TABLE revocations (id \(integer) NOT NULL PRIMARY KEY, epoch \(integer) NOT NULL)\(dialect.clustered)",
      "INSERT INTO revocations (id, epoch) VALUES (1, 0)",
    ]
  }

  private static func usedOnce(_ dialect: SQLDialect) -> [String] {
    let (bytes, integer) = (dialect.bytes, dialect.integer)
    return [
      // A challenge is given out for devices that are not there, too: no reference.
      """
      CREATE TABLE challenges (
        id \(bytes) NOT NULL PRIMARY KEY,
        value \(bytes) NOT NULL,
        device \(bytes) NOT NULL,
        purpose TEXT NOT NULL,
        content \(bytes),
        expires \(integer) NOT NULL
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE nonces (
        device \(bytes) NOT NULL,
        nonce \(bytes) NOT NULL,
        expires \(integer) NOT NULL,
        PRIMARY KEY (device, nonce)
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE answers (
        scope TEXT NOT NULL,
        request TEXT NOT NULL,
        fingerprint \(bytes) NOT NULL,
        status \(integer) NOT NULL,
        body \(bytes) NOT NULL,
        expires \(integer) NOT NULL,
        PRIMARY KEY (scope, request)
      )\(dialect.clustered)
      """,
    ]
  }

  private static func audit(_ dialect: SQLDialect) -> [String] {
    let (bytes, integer) = (dialect.bytes, dialect.integer)
    return [
      """
      CREATE TABLE audit_entries (
        node TEXT NOT NULL,
        sequence \(integer) NOT NULL CHECK (sequence > 0),
        event TEXT NOT NULL,
        time \(integer) NOT NULL,
        fields \(bytes) NOT NULL,
        previous \(bytes) NOT NULL,
        hash \(bytes) NOT NULL,
        PRIMARY KEY (node, sequence)
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE audit_heads (
        node TEXT NOT NULL PRIMARY KEY,
        sequence \(integer) NOT NULL,
        hash \(bytes) NOT NULL
      )\(dialect.clustered)
      """,
      "CREATE TABLE settings (name TEXT NOT NULL PRIMARY KEY, value \(bytes) NOT NULL)\(dialect.clustered)",
    ]
  }

  /// Answers to transfers were stored by device, so that the same transfer from a user's next device was another one. Of
  /// two answers that two devices had under one key, one stays: both are answers to that key.
  private static func answersOfUsers(_ dialect: SQLDialect) -> [String] {
    [
      """
      INSERT INTO answers (scope, request, fingerprint, status, body, expires)
      SELECT '\(Self.transferPrefix)' || devices.user_name, answers.request, answers.fingerprint, answers.status,
        answers.body, answers.expires
      FROM answers JOIN devices ON answers.scope = \(dialect.hexadecimal("devices.id")) WHERE true
      ON CONFLICT DO NOTHING
      """,
      "DELETE FROM answers WHERE scope IN (SELECT \(dialect.hexadecimal("id")) FROM devices)",
    ]
  }

  /// Since when a key approves; which server has which name.
  private static func policy(_ dialect: SQLDialect) -> [String] {
    let (bytes, integer) = (dialect.bytes, dialect.integer)
    return [
      "ALTER TABLE devices ADD COLUMN approval_since \(integer)",
      """
      CREATE TABLE nodes (
        name TEXT NOT NULL PRIMARY KEY,
        holder \(bytes) NOT NULL,
        expires \(integer) NOT NULL
      )\(dialect.clustered)
      """,
    ]
  }

  /// What vouched for a device's key; from where users have logged in.
  private static func places(_ dialect: SQLDialect) -> [String] {
    let (bytes, integer) = (dialect.bytes, dialect.integer)
    return [
      "ALTER TABLE devices ADD COLUMN identity_evidence TEXT",
      """
      CREATE TABLE login_places (
        user_name TEXT NOT NULL REFERENCES users (name),
        place \(bytes) NOT NULL,
        seen \(integer) NOT NULL,
        PRIMARY KEY (user_name, place)
      )\(dialect.clustered)
      """,
      "CREATE INDEX login_places_by_time ON login_places (seen)",
    ]
  }

  /// What has ended is found without looking at all that has not.
  private static let ends = [
    "CREATE INDEX tokens_by_end ON tokens (expires)",
    "CREATE INDEX challenges_by_end ON challenges (expires)",
    "CREATE INDEX nonces_by_end ON nonces (expires)",
    "CREATE INDEX answers_by_end ON answers (expires)",
  ]
}
