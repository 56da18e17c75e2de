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
        + (SELECT count(*) FROM pending_devices
          WHERE profile = $1 AND expires > $2 AND (decided IS NULL OR is_approved = 1))
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
    ).map(Self.enrollmentToken)
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

  static func enrollmentToken(_ row: SQLRow) throws -> EnrollmentTokenRecord {
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
        (id, user_name, name, profile, identity_key, identity_evidence, request, fingerprint, created, expires,
          name_approval)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING
      """,
      [
        .init(device.id), .text(device.user.text), .text(device.name), .text(device.profile),
        .bytes(device.identityKey), .text(device.identityEvidence), .text(device.request),
        .bytes(device.digest.bytes), .integer(device.created), .integer(device.expires),
        .init(device.nameApproval?.rawValue),
      ]) == 1
  }

  package func pendingDevice(_ id: Identifier) throws -> PendingDeviceRecord? {
    try row(
      """
      SELECT id, user_name, name, profile, identity_key, identity_evidence, request, fingerprint, created, expires,
        name_approval, is_approved, decided_by
      FROM pending_devices WHERE id = $1
      """, [.init(id)]
    ).map(Self.pending)
  }

  package func pendingDevice(request: String, of user: UserName) throws -> PendingDeviceRecord? {
    try row(
      """
      SELECT id, user_name, name, profile, identity_key, identity_evidence, request, fingerprint, created, expires,
        name_approval, is_approved, decided_by
      FROM pending_devices WHERE user_name = $1 AND request = $2
      """, [.text(user.text), .text(request)]
    ).map(Self.pending)
  }

  package func pendingDevice(identityKey key: [UInt8], of user: UserName, now: Int64) throws -> PendingDeviceRecord? {
    try row(
      """
      SELECT id, user_name, name, profile, identity_key, identity_evidence, request, fingerprint, created, expires,
        name_approval, is_approved, decided_by
      FROM pending_devices WHERE user_name = $1 AND identity_key = $2 AND expires > $3
      ORDER BY created DESC, id LIMIT 1
      """, [.text(user.text), .bytes(key), .integer(now)]
    ).map(Self.pending)
  }

  package func countPendingDevices(of user: UserName, now: Int64) throws -> Int {
    let counted = try row(
      """
      SELECT count(*) FROM pending_devices
      WHERE user_name = $1 AND expires > $2 AND (decided IS NULL OR is_approved = 1)
      """, [.text(user.text), .integer(now)])
    return try counted.map { Int(clamping: try $0.integer(0)) } ?? 0
  }

  package func decidePendingDevice(
    _ id: Identifier, _ decision: PendingDeviceRecord.Decision, at now: Int64
  ) throws -> Bool {
    try change(
      """
      UPDATE pending_devices SET decided = $1, is_approved = $2, decided_by = $3
      WHERE id = $4 AND expires > $1 AND (decided IS NULL OR (is_approved = 1 AND $2 = 0))
      """,
      [
        .integer(now), .integer(decision.isApproved ? 1 : 0), .text(decision.maker.description), .init(id),
      ]) == 1
  }

  package func rejectPendingDevices(of user: UserName, by maker: PendingDeviceRecord.Decision.Maker, at now: Int64)
    throws
    -> Int
  {
    try change(
      """
      UPDATE pending_devices SET decided = $1, is_approved = 0, decided_by = $2
      WHERE user_name = $3 AND expires > $1 AND (decided IS NULL OR is_approved = 1)
      """, [.integer(now), .text(maker.description), .text(user.text)])
  }

  /// Takes back what a device has approved and no new device has collected: those wait again.
  func withdrawApprovals(by device: Identifier) throws {
    try change(
      """
      UPDATE pending_devices SET decided = NULL, is_approved = NULL, decided_by = NULL
      WHERE decided_by = $1 AND is_approved = 1
      """, [.text(device.description)])
  }

  package func removeExpiredDevice(request: String, of user: UserName, now: Int64) throws -> Bool {
    let removed = try changedRows(
      """
      DELETE FROM pending_devices
      WHERE user_name = $1 AND request = $2 AND expires <= $3 AND (decided IS NULL OR is_approved = 1) RETURNING id
      """, [.text(user.text), .text(request), .integer(now)])
    for row in removed { try setRequestedNames([], of: try row.identifier(0)) }
    return !removed.isEmpty
  }

  package func takeApprovedDevice(_ id: Identifier, now: Int64) throws -> Bool {
    try change(
      "DELETE FROM pending_devices WHERE id = $1 AND is_approved = 1 AND expires > $2", [.init(id), .integer(now)]) == 1
  }

  static func pending(_ row: SQLRow) throws -> PendingDeviceRecord {
    var pending = PendingDeviceRecord(
      id: try row.identifier(0), user: try row.userName(1), name: try row.text(2), profile: try row.text(3),
      identityKey: try row.bytes(4), identityEvidence: try row.text(5), request: try row.text(6),
      digest: RequestDigest(try row.bytes(7)), created: try row.integer(8), expires: try row.integer(9),
      nameApproval: try row.optionalText(10).flatMap(NameApproval.init))
    if let isApproved = try row.optionalInteger(11) {
      pending.decision = .init(isApproved: isApproved != 0, by: try maker(row.optionalText(12)))
    }
    return pending
  }

  private static func maker(_ text: String?) throws -> PendingDeviceRecord.Decision.Maker {
    if let id = text.flatMap(Identifier.init) { return .device(id) }
    // Rejections from before the maker was recorded have none.
    guard text == nil || text == PendingDeviceRecord.Decision.Maker.operator.description else {
      throw EnrollmentStoreError.damaged("who decided about a device cannot be read: restore a copy of the database")
    }
    return .operator
  }

  // MARK: What has ended

  /// The seconds for which ended tokens and undecided or rejected registrations stay listed, and their repetitions are
  /// recognized.
  private static let endedLife: Int64 = 30 * 86_400

  /// Deletes tokens and pending devices that ended a month ago, at most `limit` of each.
  func forgetEndedEnrollments(now: Int64, limit: Int) throws -> Int {
    let arguments: [SQLValue] = [.integer(now - Self.endedLife), .integer(Int64(max(0, limit)))]
    let tokens = try change(
      """
      DELETE FROM enrollment_tokens WHERE id IN (SELECT id FROM enrollment_tokens WHERE expires <= $1 LIMIT $2)
      """, arguments)
    let pending = try changedRows(
      """
      DELETE FROM pending_devices WHERE id IN (SELECT id FROM pending_devices WHERE expires <= $1 LIMIT $2) RETURNING id
      """, arguments)
    for row in pending { try setRequestedNames([], of: try row.identifier(0)) }
    return tokens + pending.count
  }
}
