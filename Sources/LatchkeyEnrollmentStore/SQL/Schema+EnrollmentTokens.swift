extension Schema {
  /// Step 6: one-time enrollment tokens, profiles, and devices that wait for an approval. Devices from before have the profile
  /// `default`.
  static func enrollmentTokens(_ dialect: SQLDialect) -> [String] {
    let (bytes, integer) = (dialect.bytes, dialect.integer)
    return [
      "ALTER TABLE devices ADD COLUMN profile TEXT",
      "CREATE TABLE profiles (name TEXT NOT NULL PRIMARY KEY, definition \(bytes) NOT NULL)\(dialect.clustered)",
      """
      CREATE TABLE enrollment_tokens (
        id \(bytes) NOT NULL PRIMARY KEY,
        hash \(bytes) NOT NULL UNIQUE,
        user_name TEXT NOT NULL REFERENCES users (name),
        device_name TEXT,
        profile TEXT NOT NULL,
        created \(integer) NOT NULL,
        expires \(integer) NOT NULL,
        revoked \(integer),
        used \(integer),
        request TEXT,
        device \(bytes)
      )\(dialect.clustered)
      """,
      "CREATE INDEX enrollment_tokens_by_end ON enrollment_tokens (expires)",
      """
      CREATE TABLE pending_devices (
        id \(bytes) NOT NULL PRIMARY KEY,
        user_name TEXT NOT NULL REFERENCES users (name),
        name TEXT NOT NULL,
        profile TEXT NOT NULL,
        identity_key \(bytes) NOT NULL,
        identity_evidence TEXT NOT NULL,
        request TEXT NOT NULL,
        fingerprint \(bytes) NOT NULL,
        created \(integer) NOT NULL,
        expires \(integer) NOT NULL,
        decided \(integer),
        is_approved \(integer),
        UNIQUE (user_name, request)
      )\(dialect.clustered)
      """,
      "CREATE INDEX pending_devices_by_end ON pending_devices (expires)",
    ]
  }
}
