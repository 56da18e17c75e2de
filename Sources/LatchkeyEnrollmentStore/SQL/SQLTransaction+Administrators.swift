package import LatchkeyEnrollmentProtocol

// What administrators change, and who they are.

extension SQLTransaction {
  package func setDisabled(_ time: Int64?, of user: UserName) throws -> Bool {
    let count =
      if let time {
        try change(
          "UPDATE users SET disabled = $1 WHERE name = $2 AND disabled IS NULL", [.integer(time), .text(user.text)])
      } else {
        try change(
          "UPDATE users SET disabled = NULL WHERE name = $1 AND disabled IS NOT NULL", [.text(user.text)])
      }
    guard count == 1 else { return false }
    // Other servers' caches end with the epoch; and a copy from before does not enable the user again.
    try raiseEpoch()
    return true
  }

  package func renameDevice(_ id: Identifier, to name: String) throws -> Bool {
    try change(
      "UPDATE devices SET name = $1, name_approval = $2 WHERE id = $3",
      [.text(name), .text(NameApproval.operator.rawValue), .init(id)]) == 1
  }

  package func forgetToken(hash: [UInt8]) throws -> Bool {
    try change("DELETE FROM tokens WHERE hash = $1", [.bytes(hash)]) == 1
  }

  // MARK: Administrators

  package func addAdministrator(_ administrator: AdministratorRecord) throws -> Bool {
    try change(
      """
      INSERT INTO administrators (name, role, created, token_hash, fingerprint) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT DO NOTHING
      """,
      [
        .text(administrator.name), .text(administrator.role.rawValue), .integer(administrator.created),
        .init(administrator.tokenHash), .init(administrator.fingerprint?.bytes),
      ]) == 1
  }

  package func administrators() throws -> [AdministratorRecord] {
    try rows("SELECT name, role, created, token_hash, fingerprint FROM administrators ORDER BY name")
      .map(Self.administrator)
  }

  package func administrator(tokenHash: [UInt8]) throws -> AdministratorRecord? {
    try row(
      "SELECT name, role, created, token_hash, fingerprint FROM administrators WHERE token_hash = $1",
      [.bytes(tokenHash)]
    ).map(Self.administrator)
  }

  package func administrator(fingerprint: Fingerprint) throws -> AdministratorRecord? {
    try row(
      "SELECT name, role, created, token_hash, fingerprint FROM administrators WHERE fingerprint = $1",
      [.bytes(fingerprint.bytes)]
    ).map(Self.administrator)
  }

  package func removeAdministrator(_ name: String) throws -> Bool {
    guard try change("DELETE FROM administrators WHERE name = $1", [.text(name)]) == 1 else { return false }
    // A copy from before would make the administrator count again.
    try raiseEpoch()
    return true
  }

  private static func administrator(_ row: SQLRow) throws -> AdministratorRecord {
    let text = try row.text(1)
    guard let role = AdministratorRole(rawValue: text) else {
      throw EnrollmentStoreError.damaged("an administrator has the role \(text), which there is not: remove and add it")
    }
    return AdministratorRecord(
      name: try row.text(0), role: role, created: try row.integer(2), tokenHash: try row.optionalBytes(3),
      fingerprint: try row.optionalBytes(4).map { Fingerprint($0) })
  }
}
