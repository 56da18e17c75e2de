package import LatchkeyEnrollmentProtocol

// Pages of users, devices, certificates and sessions, by their primary keys: a page costs what it reads, not what is before it.

extension SQLTransaction {
  package func users(_ filter: UserFilter, after name: UserName?, now: Int64, limit: Int) throws -> [UserRecord] {
    let state: Int64 =
      switch filter.state {
      case nil: 0
      case .active: 1
      case .disabled: 2
      case .locked: 3
      }
    return try rows(
      """
      SELECT name, password_hash, failures, locked_until, disabled FROM users
      WHERE name > $1 AND substr(name, 1, length($2)) = $2 AND ($3 = 0
        OR ($3 = 1 AND disabled IS NULL AND (locked_until IS NULL OR locked_until <= $4))
        OR ($3 = 2 AND disabled IS NOT NULL)
        OR ($3 = 3 AND disabled IS NULL AND locked_until > $4))
      ORDER BY name LIMIT $5
      """, [.text(name?.text ?? ""), .text(filter.prefix), .integer(state), .integer(now), .integer(Int64(limit))]
    ).map(Self.user)
  }

  package func devices(_ filter: DeviceFilter, after id: Identifier?, limit: Int) throws -> [DeviceRecord] {
    let state: Int64 = filter.isRevoked.map { $0 ? 2 : 1 } ?? 0
    let after = SQLValue.bytes(id?.bytes ?? [])
    guard let user = filter.user else {
      return try rows(
        """
        SELECT d.id, d.user_name, d.name, d.created, d.revoked, d.identity_key, d.approval_key, d.approval_evidence,
          d.approval_since, d.identity_evidence, u.disabled, d.profile, d.name_approval
        FROM devices AS d LEFT JOIN users AS u ON u.name = d.user_name
        WHERE d.id > $1 AND substr(d.name, 1, length($2)) = $2
          AND ($3 = 0 OR ($3 = 1 AND d.revoked IS NULL) OR ($3 = 2 AND d.revoked IS NOT NULL))
        ORDER BY d.id LIMIT $4
        """, [after, .text(filter.prefix), .integer(state), .integer(Int64(limit))]
      ).map { try Self.device($0, from: 0) }
    }
    return try rows(
      """
      SELECT d.id, d.user_name, d.name, d.created, d.revoked, d.identity_key, d.approval_key, d.approval_evidence,
        d.approval_since, d.identity_evidence, u.disabled, d.profile, d.name_approval
      FROM devices AS d LEFT JOIN users AS u ON u.name = d.user_name
      WHERE d.user_name = $1 AND d.id > $2 AND substr(d.name, 1, length($3)) = $3
        AND ($4 = 0 OR ($4 = 1 AND d.revoked IS NULL) OR ($4 = 2 AND d.revoked IS NOT NULL))
      ORDER BY d.id LIMIT $5
      """, [.text(user.text), after, .text(filter.prefix), .integer(state), .integer(Int64(limit))]
    ).map { try Self.device($0, from: 0) }
  }

  package func certificates(
    _ filter: CertificateFilter, after fingerprint: Fingerprint?, now: Int64, limit: Int
  ) throws -> [CertificateRecord] {
    let state: Int64 =
      switch filter.state {
      case nil: 0
      case .valid: 1
      case .revoked: 2
      case .expired: 3
      }
    let after = SQLValue.bytes(fingerprint?.bytes ?? [])
    guard let device = filter.device else {
      return try rows(
        """
        SELECT fingerprint, serial, device, not_after, revoked, reason, issuer FROM certificates
        WHERE fingerprint > $1 AND ($2 = 0 OR ($2 = 1 AND revoked IS NULL AND not_after > $3)
          OR ($2 = 2 AND revoked IS NOT NULL) OR ($2 = 3 AND revoked IS NULL AND not_after <= $3))
        ORDER BY fingerprint LIMIT $4
        """, [after, .integer(state), .integer(now), .integer(Int64(limit))]
      ).map(Self.certificate)
    }
    return try rows(
      """
      SELECT fingerprint, serial, device, not_after, revoked, reason, issuer FROM certificates
      WHERE device = $1 AND fingerprint > $2 AND ($3 = 0 OR ($3 = 1 AND revoked IS NULL AND not_after > $4)
        OR ($3 = 2 AND revoked IS NOT NULL) OR ($3 = 3 AND revoked IS NULL AND not_after <= $4))
      ORDER BY fingerprint LIMIT $5
      """, [.init(device), after, .integer(state), .integer(now), .integer(Int64(limit))]
    ).map(Self.certificate)
  }

  package func tokens(of user: UserName?, after hash: [UInt8]?, now: Int64, limit: Int) throws -> [TokenRecord] {
    let after = SQLValue.bytes(hash ?? [])
    guard let user else {
      return try rows(
        """
        SELECT hash, user_name, device, expires, has_registered FROM tokens
        WHERE hash > $1 AND expires > $2 ORDER BY hash LIMIT $3
        """, [after, .integer(now), .integer(Int64(limit))]
      ).map(Self.token)
    }
    return try rows(
      """
      SELECT hash, user_name, device, expires, has_registered FROM tokens
      WHERE user_name = $1 AND hash > $2 AND expires > $3 ORDER BY hash LIMIT $4
      """, [.text(user.text), after, .integer(now), .integer(Int64(limit))]
    ).map(Self.token)
  }

  package func countCertificates(now: Int64, endingBefore end: Int64) throws -> Int {
    let row = try row(
      "SELECT count(*) FROM certificates WHERE not_after > $1 AND not_after < $2 AND revoked IS NULL",
      [.integer(now), .integer(end)])
    return try row.map { Int(clamping: try $0.integer(0)) } ?? 0
  }
}
