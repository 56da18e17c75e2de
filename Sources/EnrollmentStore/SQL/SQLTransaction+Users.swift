package import EnrollmentProtocol

// Users and their sessions.

extension SQLTransaction {
  package func addUser(_ user: UserRecord) throws -> Bool {
    guard (1...128).contains(user.name.text.count) else {
      throw EnrollmentStoreError.misuse("a user's name has 1 to 128 characters")
    }
    return try change(
      """
      INSERT INTO users (name, password_hash, failures, locked_until) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING
      """,
      [.text(user.name.text), .init(user.passwordHash), .integer(Int64(user.failures)), .init(user.lockedUntil)]) == 1
  }

  package func user(named name: UserName) throws -> UserRecord? {
    try row("SELECT name, password_hash, failures, locked_until FROM users WHERE name = $1", [.text(name.text)]).map {
      UserRecord(
        name: try $0.userName(0), passwordHash: try $0.optionalText(1), failures: Int(clamping: try $0.integer(2)),
        lockedUntil: try $0.optionalInteger(3))
    }
  }

  package func updateUser(_ user: UserRecord) throws {
    let count = try change(
      "UPDATE users SET password_hash = $1, failures = $2, locked_until = $3 WHERE name = $4",
      [.init(user.passwordHash), .integer(Int64(user.failures)), .init(user.lockedUntil), .text(user.name.text)])
    guard count == 1 else { throw EnrollmentStoreError.misuse("there is no such user: add it first") }
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
    try row(
      "SELECT hash, user_name, device, expires, has_registered FROM tokens WHERE hash = $1 AND expires > $2",
      [.bytes(hash), .integer(now)]
    ).map {
      TokenRecord(
        hash: try $0.bytes(0), user: try $0.userName(1), device: try $0.optionalIdentifier(2),
        expires: try $0.integer(3),
        hasRegistered: try $0.integer(4) != 0)
    }
  }

  package func claimRegistration(token hash: [UInt8]) throws -> Bool {
    try change(
      "UPDATE tokens SET has_registered = 1 WHERE hash = $1 AND has_registered = 0", [.bytes(hash)]) == 1
  }
}
