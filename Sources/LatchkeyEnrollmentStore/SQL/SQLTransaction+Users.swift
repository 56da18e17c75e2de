package import LatchkeyEnrollmentProtocol

// Users and their sessions.

extension SQLTransaction {
  package func addUser(_ user: UserRecord) throws -> Bool {
    guard (1...128).contains(user.name.text.count) else {
      throw EnrollmentStoreError.misuse("a user's name has 1 to 128 characters")
    }
    return try change(
      """
      INSERT INTO users (name, password_hash, failures, locked_until, disabled) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT DO NOTHING
      """,
      [
        .text(user.name.text), .init(user.passwordHash), .integer(Int64(user.failures)), .init(user.lockedUntil),
        .init(user.disabled),
      ]) == 1
  }

  package func user(named name: UserName) throws -> UserRecord? {
    try row(
      "SELECT name, password_hash, failures, locked_until, disabled FROM users WHERE name = $1", [.text(name.text)]
    ).map(Self.user)
  }

  static func user(_ row: SQLRow) throws -> UserRecord {
    UserRecord(
      name: try row.userName(0), passwordHash: try row.optionalText(1), failures: Int(clamping: try row.integer(2)),
      lockedUntil: try row.optionalInteger(3), disabled: try row.optionalInteger(4))
  }

  package func updateUser(_ user: UserRecord) throws {
    let count = try change(
      "UPDATE users SET password_hash = $1, failures = $2, locked_until = $3 WHERE name = $4",
      [.init(user.passwordHash), .integer(Int64(user.failures)), .init(user.lockedUntil), .text(user.name.text)])
    guard count == 1 else { throw EnrollmentStoreError.misuse("there is no such user: add it first") }
  }

  // MARK: Where users logged in

  /// Places of one user that are remembered.
  private static let mostPlaces: Int64 = 32
  /// Seconds after which a place is noted again.
  private static let placeAge: Int64 = 86_400

  package func isLoginPlace(_ place: [UInt8], of user: UserName) throws -> Bool {
    try row("SELECT seen FROM login_places WHERE user_name = $1 AND place = $2", [.text(user.text), .bytes(place)])
      != nil
  }

  package func noteLoginPlace(_ place: [UInt8], of user: UserName, now: Int64) throws {
    let isNew =
      try change(
        """
        INSERT INTO login_places (user_name, place, seen) VALUES ($1, $2, $3)
        ON CONFLICT (user_name, place) DO UPDATE SET seen = excluded.seen WHERE login_places.seen <= $4
        """, [.text(user.text), .bytes(place), .integer(now), .integer(now - Self.placeAge)]) == 1
    guard isNew else { return }
    try change(
      """
      DELETE FROM login_places WHERE user_name = $1 AND place NOT IN (
        SELECT place FROM login_places WHERE user_name = $1 ORDER BY seen DESC, place LIMIT $2)
      """, [.text(user.text), .integer(Self.mostPlaces)])
  }

  package func forgetLoginPlaces(of user: UserName) throws {
    try change("DELETE FROM login_places WHERE user_name = $1", [.text(user.text)])
  }

  // MARK: Sessions

  package func addToken(_ token: TokenRecord) throws {
    try change(
      "INSERT INTO tokens (hash, user_name, device, expires, has_registered) VALUES ($1, $2, $3, $4, $5)",
      [
        .bytes(token.hash), .text(token.user.text), .init(token.device), .integer(token.expires),
        .integer(token.hasRegistered ? 1 : 0),
      ])
  }

  package func token(hash: [UInt8], now: Int64) throws -> TokenRecord? {
    // A login may end after its user was disabled: the session does not count either way.
    try row(
      """
      SELECT t.hash, t.user_name, t.device, t.expires, t.has_registered
      FROM tokens AS t JOIN users AS u ON u.name = t.user_name
      WHERE t.hash = $1 AND t.expires > $2 AND u.disabled IS NULL
      """, [.bytes(hash), .integer(now)]
    ).map(Self.token)
  }

  static func token(_ row: SQLRow) throws -> TokenRecord {
    TokenRecord(
      hash: try row.bytes(0), user: try row.userName(1), device: try row.optionalIdentifier(2),
      expires: try row.integer(3), hasRegistered: try row.integer(4) != 0)
  }

  package func forgetTokens(of user: UserName) throws -> Int {
    try change("DELETE FROM tokens WHERE user_name = $1", [.text(user.text)])
  }

  package func claimRegistration(token hash: [UInt8]) throws -> Bool {
    try change(
      "UPDATE tokens SET has_registered = 1 WHERE hash = $1 AND has_registered = 0", [.bytes(hash)]) == 1
  }
}
