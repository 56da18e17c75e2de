package import LatchkeyEnrollmentProtocol

// Devices, their certificates, and their end.
//
// Whether the user is disabled is looked up for each row. PostgreSQL plans a join for any arguments, and where one user has most devices, that
// plan reads all users.

extension SQLTransaction {
  package func addDevice(_ device: DeviceRecord) throws {
    try change(
      """
      INSERT INTO devices
        (id, user_name, name, created, revoked, identity_key, approval_key, approval_evidence, approval_since,
          identity_evidence, profile, name_approval)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      """,
      [
        .init(device.id), .text(device.user.text), .text(device.name), .integer(device.created), .init(device.revoked),
        .bytes(device.identityKey), .init(device.approvalKey), .init(device.approvalEvidence),
        .init(device.approvalSince), .init(device.identityEvidence), .text(device.profile),
        .init(device.nameApproval?.rawValue),
      ])
  }

  package func device(_ id: Identifier) throws -> DeviceRecord? {
    try row(
      """
      SELECT d.id, d.user_name, d.name, d.created, d.revoked, d.identity_key, d.approval_key, d.approval_evidence,
        d.approval_since, d.identity_evidence, (SELECT u.disabled FROM users AS u WHERE u.name = d.user_name),
        d.profile, d.name_approval
      FROM devices AS d WHERE d.id = $1
      """, [.init(id)]
    ).map { try Self.device($0, from: 0) }
  }

  package func devices(of user: UserName) throws -> [DeviceRecord] {
    try rows(
      """
      SELECT d.id, d.user_name, d.name, d.created, d.revoked, d.identity_key, d.approval_key, d.approval_evidence,
        d.approval_since, d.identity_evidence, (SELECT u.disabled FROM users AS u WHERE u.name = d.user_name),
        d.profile, d.name_approval
      FROM devices AS d WHERE d.user_name = $1 ORDER BY d.created, d.id
      """, [.text(user.text)]
    ).map { try Self.device($0, from: 0) }
  }

  package func countDevices(of user: UserName, now: Int64) throws -> Int {
    let row = try row(
      """
      SELECT count(*) FROM devices AS d WHERE d.user_name = $1 AND d.revoked IS NULL
        AND (d.approval_key IS NOT NULL OR EXISTS
          (SELECT 1 FROM certificates AS c WHERE c.device = d.id AND c.revoked IS NULL AND c.not_after > $2))
      """, [.text(user.text), .integer(now)])
    return try row.map { Int(try $0.integer(0)) } ?? 0
  }

  package func updateDevice(_ device: DeviceRecord) throws {
    let count = try change(
      """
      UPDATE devices SET identity_key = $1, approval_key = $2, approval_evidence = $3, approval_since = $4,
        identity_evidence = $5 WHERE id = $6
      """,
      [
        .bytes(device.identityKey), .init(device.approvalKey), .init(device.approvalEvidence),
        .init(device.approvalSince), .init(device.identityEvidence), .init(device.id),
      ])
    guard count == 1 else { throw EnrollmentStoreError.misuse("there is no such device: add it first") }
  }

  // MARK: Certificates

  package func addCertificate(_ certificate: CertificateRecord) throws {
    try change(
      """
      INSERT INTO certificates (fingerprint, serial, device, not_after, revoked, reason, issuer)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        .bytes(certificate.fingerprint.bytes), .bytes(certificate.serial), .init(certificate.device),
        .integer(certificate.notAfter), .init(certificate.revoked), .init(certificate.reason.map(Int64.init)),
        .init(certificate.issuer),
      ])
  }

  package func certificate(
    fingerprint: Fingerprint
  ) throws -> (certificate: CertificateRecord, device: DeviceRecord)? {
    try row(
      """
      SELECT c.fingerprint, c.serial, c.device, c.not_after, c.revoked, c.reason, c.issuer,
        d.id, d.user_name, d.name, d.created, d.revoked, d.identity_key, d.approval_key, d.approval_evidence,
        d.approval_since, d.identity_evidence, (SELECT u.disabled FROM users AS u WHERE u.name = d.user_name),
        d.profile, d.name_approval
      FROM certificates AS c JOIN devices AS d ON d.id = c.device
      WHERE c.fingerprint = $1
      """, [.bytes(fingerprint.bytes)]
    ).map { (certificate: try Self.certificate($0), device: try Self.device($0, from: 7)) }
  }

  package func certificate(serial: [UInt8]) throws -> CertificateRecord? {
    try row(
      "SELECT fingerprint, serial, device, not_after, revoked, reason, issuer FROM certificates WHERE serial = $1",
      [.bytes(serial)]
    ).map(Self.certificate)
  }

  package func certificates(of device: Identifier) throws -> [CertificateRecord] {
    try rows(
      """
      SELECT fingerprint, serial, device, not_after, revoked, reason, issuer
      FROM certificates WHERE device = $1 ORDER BY not_after, fingerprint
      """, [.init(device)]
    ).map(Self.certificate)
  }

  // MARK: Revocation

  package func revokeDevice(_ id: Identifier, at now: Int64, reason: Int) throws -> Bool {
    let count = try change(
      "UPDATE devices SET revoked = $1 WHERE id = $2 AND revoked IS NULL", [.integer(now), .init(id)])
    guard count == 1 else { return try wasRevoked() }
    try change(
      "UPDATE certificates SET revoked = $1, reason = $2 WHERE device = $3 AND revoked IS NULL",
      [.integer(now), .integer(Int64(reason)), .init(id)])
    try withdrawApprovals(by: id)
    try raiseEpoch()
    return true
  }

  package func revokeCertificate(fingerprint: Fingerprint, at now: Int64, reason: Int) throws -> Bool {
    let revoked = try changedRows(
      "UPDATE certificates SET revoked = $1, reason = $2 WHERE fingerprint = $3 AND revoked IS NULL RETURNING device",
      [.integer(now), .integer(Int64(reason)), .bytes(fingerprint.bytes)])
    guard let row = revoked.first else { return try wasRevoked() }
    try withdrawApprovals(by: row.identifier(0))
    try raiseEpoch()
    return true
  }

  package func revokeCertificates(
    of device: Identifier, except current: Fingerprint, at now: Int64, reason: Int
  ) throws -> Int {
    let count = try change(
      """
      UPDATE certificates SET revoked = $1, reason = $2
      WHERE device = $3 AND fingerprint <> $4 AND revoked IS NULL AND not_after > $1
      """, [.integer(now), .integer(Int64(reason)), .init(device), .bytes(current.bytes)])
    try withdrawApprovals(by: device)
    if count > 0 { try raiseEpoch() }
    return count
  }

  package func isRevoked(identityKey key: [UInt8], of user: UserName) throws -> Bool {
    try row(
      "SELECT 1 FROM devices WHERE identity_key = $1 AND user_name = $2 AND revoked IS NOT NULL LIMIT 1",
      [.bytes(key), .text(user.text)]) != nil
  }

  package func revokedCertificates(now: Int64) throws -> [CertificateRecord] {
    try rows(
      """
      SELECT fingerprint, serial, device, not_after, revoked, reason, issuer
      FROM certificates WHERE revoked IS NOT NULL AND not_after > $1 ORDER BY serial
      """, [.integer(now)]
    ).map(Self.certificate)
  }

  package func revocationEpoch() throws -> Int64 {
    guard let row = try row("SELECT epoch FROM revocations WHERE id = 1") else {
      throw EnrollmentStoreError.damaged("the count of revocations is gone: restore a copy of the database")
    }
    return try row.integer(0)
  }

  func raiseEpoch() throws {
    guard let row = try changedRows("UPDATE revocations SET epoch = epoch + 1 WHERE id = 1 RETURNING epoch", []).first
    else { throw EnrollmentStoreError.damaged("the count of revocations is gone: restore a copy of the database") }
    mustKeep(epoch: try row.integer(0))
  }

  /// "It was revoked" is an acknowledgment, too: the process that revoked it may have ended before the second place had it.
  private func wasRevoked() throws -> Bool {
    mustKeep(epoch: try revocationEpoch())
    return false
  }

  // MARK: Rows

  static func device(_ row: SQLRow, from column: Int) throws -> DeviceRecord {
    var device = DeviceRecord(
      id: try row.identifier(column), user: try row.userName(column + 1), name: try row.text(column + 2),
      created: try row.integer(column + 3), revoked: try row.optionalInteger(column + 4),
      identityKey: try row.bytes(column + 5), approvalKey: try row.optionalBytes(column + 6),
      approvalEvidence: try row.optionalText(column + 7), approvalSince: try row.optionalInteger(column + 8),
      identityEvidence: try row.optionalText(column + 9))
    device.isUserDisabled = try row.optionalInteger(column + 10) != nil
    device.profile = try row.optionalText(column + 11) ?? DeviceProfile.defaultName
    device.nameApproval = try row.optionalText(column + 12).flatMap(NameApproval.init)
    return device
  }

  static func certificate(_ row: SQLRow) throws -> CertificateRecord {
    CertificateRecord(
      fingerprint: Fingerprint(try row.bytes(0)), serial: try row.bytes(1), device: try row.identifier(2),
      notAfter: try row.integer(3), revoked: try row.optionalInteger(4),
      reason: try row.optionalInteger(5).map { Int(clamping: $0) }, issuer: try row.optionalBytes(6))
  }
}
