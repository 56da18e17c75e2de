internal import Foundation
package import LatchkeyEnrollmentProtocol

// Profiles, one-time enrollment tokens, and devices that wait for an approval.

extension SQLTransaction {
  // MARK: Profiles

  package func profile(named name: String) throws -> DeviceProfile? {
    try row("SELECT definition FROM profiles WHERE name = $1", [.text(name)]).map { try Self.profile($0) }
  }

  package func profiles() throws -> [DeviceProfile] {
    try rows("SELECT definition FROM profiles ORDER BY name").map { try Self.profile($0) }
  }

  package func setProfile(_ profile: DeviceProfile) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let definition = try? encoder.encode(profile) else {
      throw EnrollmentStoreError.misuse("this profile cannot be stored")
    }
    try change(
      """
      INSERT INTO profiles (name, definition) VALUES ($1, $2)
      ON CONFLICT (name) DO UPDATE SET definition = excluded.definition
      """, [.text(profile.name), .bytes(Array(definition))])
  }

  package func removeProfile(named name: String) throws -> Bool {
    try change("DELETE FROM profiles WHERE name = $1", [.text(name)]) == 1
  }

  package func countUses(ofProfile name: String, now: Int64) throws -> Int {
    let counted = try row(
      """
      SELECT (SELECT count(*) FROM devices WHERE profile = $1 AND revoked IS NULL)
        + (SELECT count(*) FROM enrollment_tokens
          WHERE profile = $1 AND used IS NULL AND revoked IS NULL AND expires > $2)
        + (SELECT count(*) FROM pending_devices WHERE profile = $1 AND expires > $2)
      """, [.text(name), .integer(now)])
    return try counted.map { Int(clamping: try $0.integer(0)) } ?? 0
  }

  private static func profile(_ row: SQLRow) throws -> DeviceProfile {
    guard let profile = try? JSONDecoder().decode(DeviceProfile.self, from: Data(try row.bytes(0))) else {
      throw EnrollmentStoreError.damaged("a profile cannot be read: define it again with latchkey-server profile add")
    }
    return profile
  }

  // MARK: Tokens

  package func addEnrollmentToken(_ token: EnrollmentTokenRecord) throws {
    try change(
      """
      INSERT INTO enrollment_tokens (id, hash, user_name, device_name, profile, created, expires)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        .init(token.id), .bytes(token.hash), .text(token.user.text), .init(token.deviceName), .text(token.profile),
        .integer(token.created), .integer(token.expires),
      ])
  }

  package func enrollmentToken(hash: [UInt8]) throws -> EnrollmentTokenRecord? {
    try row(
      """
      SELECT id, hash, user_name, device_name, profile, created, expires, revoked, used, request, device
      FROM enrollment_tokens WHERE hash = $1
      """, [.bytes(hash)]
    ).map(Self.token)
  }

  package func enrollmentTokens(limit: Int) throws -> [EnrollmentTokenRecord] {
    try rows(
      """
      SELECT id, hash, user_name, device_name, profile, created, expires, revoked, used, request, device
      FROM enrollment_tokens ORDER BY created DESC, id LIMIT $1
      """, [.integer(Int64(max(0, limit)))]
    ).map(Self.token)
  }

  package func useEnrollmentToken(hash: [UInt8], by use: EnrollmentTokenRecord.Use) throws -> Bool {
    try change(
      """
      UPDATE enrollment_tokens SET used = $1, request = $2, device = $3
      WHERE hash = $4 AND used IS NULL AND revoked IS NULL AND expires > $1
      """, [.integer(use.time), .text(use.request), .init(use.device), .bytes(hash)]) == 1
  }

  package func revokeEnrollmentToken(_ id: Identifier, at now: Int64) throws -> Bool {
    let count = try change(
      "UPDATE enrollment_tokens SET revoked = $1 WHERE id = $2 AND revoked IS NULL AND used IS NULL",
      [.integer(now), .init(id)])
    guard count == 1 else { return false }
    // A copy from before would make the token usable again.
    try raiseEpoch()
    return true
  }

  private static func token(_ row: SQLRow) throws -> EnrollmentTokenRecord {
    var token = EnrollmentTokenRecord(
      id: try row.identifier(0), hash: try row.bytes(1), user: try row.userName(2),
      deviceName: try row.optionalText(3), profile: try row.text(4), created: try row.integer(5),
      expires: try row.integer(6))
    token.revoked = try row.optionalInteger(7)
    if let used = try row.optionalInteger(8) {
      token.use = EnrollmentTokenRecord.Use(time: used, request: try row.text(9), device: try row.identifier(10))
    }
    return token
  }

  // MARK: Devices that wait

  package func addPendingDevice(_ device: PendingDeviceRecord) throws -> Bool {
    try change(
      """
      INSERT INTO pending_devices
        (id, user_name, name, profile, identity_key, identity_evidence, request, fingerprint, created, expires)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING
      """,
      [
        .init(device.id), .text(device.user.text), .text(device.name), .text(device.profile),
        .bytes(device.identityKey), .text(device.identityEvidence), .text(device.request),
        .bytes(device.digest.bytes), .integer(device.created), .integer(device.expires),
      ]) == 1
  }

  package func pendingDevice(_ id: Identifier) throws -> PendingDeviceRecord? {
    try row(
      """
      SELECT id, user_name, name, profile, identity_key, identity_evidence, request, fingerprint, created, expires,
        is_approved
      FROM pending_devices WHERE id = $1
      """, [.init(id)]
    ).map(Self.pending)
  }

  package func pendingDevice(request: String, of user: UserName) throws -> PendingDeviceRecord? {
    try row(
      """
      SELECT id, user_name, name, profile, identity_key, identity_evidence, request, fingerprint, created, expires,
        is_approved
      FROM pending_devices WHERE user_name = $1 AND request = $2
      """, [.text(user.text), .text(request)]
    ).map(Self.pending)
  }

  package func pendingDevices(of user: UserName?, now: Int64, limit: Int) throws -> [PendingDeviceRecord] {
    let (now, limit) = (SQLValue.integer(now), SQLValue.integer(Int64(max(0, limit))))
    if let user {
      return try rows(
        """
        SELECT id, user_name, name, profile, identity_key, identity_evidence, request, fingerprint, created, expires,
          is_approved
        FROM pending_devices WHERE expires > $1 AND decided IS NULL AND user_name = $2 ORDER BY created, id LIMIT $3
        """, [now, .text(user.text), limit]
      ).map(Self.pending)
    }
    return try rows(
      """
      SELECT id, user_name, name, profile, identity_key, identity_evidence, request, fingerprint, created, expires,
        is_approved
      FROM pending_devices WHERE expires > $1 AND decided IS NULL ORDER BY created, id LIMIT $2
      """, [now, limit]
    ).map(Self.pending)
  }

  package func countPendingDevices(of user: UserName, now: Int64) throws -> Int {
    let counted = try row(
      "SELECT count(*) FROM pending_devices WHERE user_name = $1 AND expires > $2", [.text(user.text), .integer(now)])
    return try counted.map { Int(clamping: try $0.integer(0)) } ?? 0
  }

  package func decidePendingDevice(_ id: Identifier, isApproved: Bool, at now: Int64) throws -> Bool {
    try change(
      """
      UPDATE pending_devices SET decided = $1, is_approved = $2
      WHERE id = $3 AND decided IS NULL AND expires > $1
      """, [.integer(now), .integer(isApproved ? 1 : 0), .init(id)]) == 1
  }

  package func takeApprovedDevice(_ id: Identifier, now: Int64) throws -> Bool {
    try change(
      "DELETE FROM pending_devices WHERE id = $1 AND is_approved = 1 AND expires > $2", [.init(id), .integer(now)]) == 1
  }

  private static func pending(_ row: SQLRow) throws -> PendingDeviceRecord {
    PendingDeviceRecord(
      id: try row.identifier(0), user: try row.userName(1), name: try row.text(2), profile: try row.text(3),
      identityKey: try row.bytes(4), identityEvidence: try row.text(5), request: try row.text(6),
      digest: RequestDigest(try row.bytes(7)), created: try row.integer(8), expires: try row.integer(9),
      isApproved: try row.optionalInteger(10).map { $0 != 0 })
  }

  // MARK: What has ended

  /// The seconds for which ended tokens and undecided or rejected registrations stay listed, and their repetitions are
  /// recognized.
  private static let endedLife: Int64 = 30 * 86_400

  /// Deletes tokens and pending devices that ended a month ago, at most `limit` of each.
  func forgetEndedEnrollments(now: Int64, limit: Int) throws -> Int {
    let arguments: [SQLValue] = [.integer(now - Self.endedLife), .integer(Int64(max(0, limit)))]
    return try change(
      """
      DELETE FROM enrollment_tokens WHERE id IN (SELECT id FROM enrollment_tokens WHERE expires <= $1 LIMIT $2)
      """, arguments)
      + change(
        "DELETE FROM pending_devices WHERE id IN (SELECT id FROM pending_devices WHERE expires <= $1 LIMIT $2)",
        arguments)
  }
}
