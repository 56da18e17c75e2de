package import LatchkeyEnrollmentProtocol

// Pages of users, devices, certificates and sessions, in the order of a key that an index has. A page costs what it reads, not what is
// before it or behind it, however many records there are and however few of them a search finds: what an index does not find is
// filtered among the rows of the page.
//
// PostgreSQL plans a statement that it has prepared for any value of `LIMIT $2`, by sorting what it expects, a tenth of the table. By the
// number in the inner query it knows that few rows are read in order; the outer one ends earlier, and neither database reads on.

extension SQLTransaction {
  package func users(
    _ filter: UserFilter, after name: UserName?, now: Int64, limit: Int
  ) throws -> ListPart<UserRecord> {
    let rows = ListPart<UserRecord>.rows(for: limit, isSearch: filter != UserFilter())
    let arguments: [SQLValue] = [.text(name?.text ?? ""), .integer(rows)]
    let read =
      switch filter.state {
      case nil, .active:
        try self.rows(
          """
          SELECT page.* FROM (
            SELECT name, password_hash, failures, locked_until, disabled FROM users WHERE name > $1
            ORDER BY name LIMIT 1001) AS page LIMIT $2
          """, arguments)
      case .disabled:
        try self.rows(
          """
          SELECT page.* FROM (
            SELECT name, password_hash, failures, locked_until, disabled FROM users
            WHERE name > $1 AND disabled IS NOT NULL ORDER BY name LIMIT 1001) AS page LIMIT $2
          """, arguments)
      case .locked:
        try self.rows(
          """
          SELECT page.* FROM (
            SELECT name, password_hash, failures, locked_until, disabled FROM users
            WHERE name > $1 AND locked_until IS NOT NULL ORDER BY name LIMIT 1001) AS page LIMIT $2
          """, arguments)
      }
    return ListPart(try read.map(Self.user), of: rows, limit: limit) { user in
      user.name.text.utf8.starts(with: filter.prefix.utf8)
        && (filter.state.map { $0 == UserFilter.State(of: user, now: now) } ?? true)
    }
  }

  package func devices(_ filter: DeviceFilter, after id: Identifier?, limit: Int) throws -> ListPart<DeviceRecord> {
    let isSearch = !filter.prefix.isEmpty || filter.isRevoked != nil
    let rows = ListPart<DeviceRecord>.rows(for: limit, isSearch: isSearch)
    let arguments: [SQLValue] = [.bytes(id?.bytes ?? []), .integer(rows)]
    let read =
      if let user = filter.user {
        try self.rows(
          """
          SELECT page.* FROM (
            SELECT d.id, d.user_name, d.name, d.created, d.revoked, d.identity_key, d.approval_key, d.approval_evidence,
              d.approval_since, d.identity_evidence,
              (SELECT u.disabled FROM users AS u WHERE u.name = d.user_name) AS disabled, d.profile, d.name_approval
            FROM devices AS d WHERE d.user_name = $1 AND d.id > $2 ORDER BY d.id LIMIT 1001) AS page LIMIT $3
          """, [.text(user.text)] + arguments)
      } else if filter.isRevoked == true {
        try self.rows(
          """
          SELECT page.* FROM (
            SELECT d.id, d.user_name, d.name, d.created, d.revoked, d.identity_key, d.approval_key, d.approval_evidence,
              d.approval_since, d.identity_evidence,
              (SELECT u.disabled FROM users AS u WHERE u.name = d.user_name) AS disabled, d.profile, d.name_approval
            FROM devices AS d WHERE d.id > $1 AND d.revoked IS NOT NULL ORDER BY d.id LIMIT 1001) AS page LIMIT $2
          """, arguments)
      } else {
        try self.rows(
          """
          SELECT page.* FROM (
            SELECT d.id, d.user_name, d.name, d.created, d.revoked, d.identity_key, d.approval_key, d.approval_evidence,
              d.approval_since, d.identity_evidence,
              (SELECT u.disabled FROM users AS u WHERE u.name = d.user_name) AS disabled, d.profile, d.name_approval
            FROM devices AS d WHERE d.id > $1 ORDER BY d.id LIMIT 1001) AS page LIMIT $2
          """, arguments)
      }
    return ListPart(try read.map { try Self.device($0, from: 0) }, of: rows, limit: limit) { device in
      device.name.utf8.starts(with: filter.prefix.utf8)
        && (filter.isRevoked.map { $0 == (device.revoked != nil) } ?? true)
    }
  }

  package func certificates(
    _ filter: CertificateFilter, after fingerprint: Fingerprint?, now: Int64, limit: Int
  ) throws -> ListPart<CertificateRecord> {
    let rows = ListPart<CertificateRecord>.rows(for: limit, isSearch: filter.state != nil)
    let arguments: [SQLValue] = [.bytes(fingerprint?.bytes ?? []), .integer(rows)]
    let read =
      if let device = filter.device {
        try self.rows(
          """
          SELECT page.* FROM (
            SELECT fingerprint, serial, device, not_after, revoked, reason, issuer FROM certificates
            WHERE device = $1 AND fingerprint > $2 ORDER BY fingerprint LIMIT 1001) AS page LIMIT $3
          """, [.init(device)] + arguments)
      } else if filter.state == .revoked {
        try self.rows(
          """
          SELECT page.* FROM (
            SELECT fingerprint, serial, device, not_after, revoked, reason, issuer FROM certificates
            WHERE fingerprint > $1 AND revoked IS NOT NULL ORDER BY fingerprint LIMIT 1001) AS page LIMIT $2
          """, arguments)
      } else {
        try self.rows(
          """
          SELECT page.* FROM (
            SELECT fingerprint, serial, device, not_after, revoked, reason, issuer FROM certificates
            WHERE fingerprint > $1 ORDER BY fingerprint LIMIT 1001) AS page LIMIT $2
          """, arguments)
      }
    return ListPart(try read.map(Self.certificate), of: rows, limit: limit) { certificate in
      filter.state.map { $0 == CertificateFilter.State(of: certificate, now: now) } ?? true
    }
  }

  package func tokens(
    of user: UserName?, after hash: [UInt8]?, now: Int64, limit: Int
  ) throws -> ListPart<TokenRecord> {
    // Those that have ended are among them until they are forgotten.
    let rows = ListPart<TokenRecord>.rows(for: limit, isSearch: true)
    let arguments: [SQLValue] = [.bytes(hash ?? []), .integer(rows)]
    let read =
      if let user {
        try self.rows(
          """
          SELECT page.* FROM (
            SELECT hash, user_name, device, expires, has_registered FROM tokens WHERE user_name = $1 AND hash > $2
            ORDER BY hash LIMIT 1001) AS page LIMIT $3
          """, [.text(user.text)] + arguments)
      } else {
        try self.rows(
          """
          SELECT page.* FROM (
            SELECT hash, user_name, device, expires, has_registered FROM tokens WHERE hash > $1
            ORDER BY hash LIMIT 1001) AS page LIMIT $2
          """, arguments)
      }
    return ListPart(try read.map(Self.token), of: rows, limit: limit) { $0.expires > now }
  }

  package func enrollmentTokens(
    after place: CreationPlace?, limit: Int
  ) throws -> ListPart<EnrollmentTokenRecord> {
    let rows = ListPart<EnrollmentTokenRecord>.rows(for: limit, isSearch: false)
    let read = try self.rows(
      """
      SELECT page.* FROM (
        SELECT id, hash, user_name, device_name, profile, created, expires, revoked, used, request, device
        FROM enrollment_tokens WHERE (created, id) < ($1, $2) ORDER BY created DESC, id DESC LIMIT 1001) AS page LIMIT $3
      """, [.integer(place?.created ?? .max), .bytes(place?.id.bytes ?? []), .integer(rows)])
    return ListPart(try read.map(Self.enrollmentToken), of: rows, limit: limit)
  }

  package func pendingDevices(
    of user: UserName?, after place: CreationPlace?, now: Int64, limit: Int
  ) throws -> ListPart<PendingDeviceRecord> {
    let rows = ListPart<PendingDeviceRecord>.rows(for: limit, isSearch: true)
    let arguments: [SQLValue] = [
      .integer(place?.created ?? .min), .bytes(place?.id.bytes ?? []), .integer(rows),
    ]
    let read =
      if let user {
        try self.rows(
          """
          SELECT page.* FROM (
            SELECT id, user_name, name, profile, identity_key, identity_evidence, request, fingerprint, created, expires,
              name_approval, is_approved, decided_by
            FROM pending_devices
            WHERE user_name = $1 AND (created, id) > ($2, $3) AND (decided IS NULL OR is_approved = 1)
            ORDER BY created, id LIMIT 1001) AS page LIMIT $4
          """, [.text(user.text)] + arguments)
      } else {
        try self.rows(
          """
          SELECT page.* FROM (
            SELECT id, user_name, name, profile, identity_key, identity_evidence, request, fingerprint, created, expires,
              name_approval, is_approved, decided_by
            FROM pending_devices WHERE (created, id) > ($1, $2) AND (decided IS NULL OR is_approved = 1)
            ORDER BY created, id LIMIT 1001) AS page LIMIT $3
          """, arguments)
      }
    return ListPart(try read.map(Self.pending), of: rows, limit: limit) { $0.expires > now }
  }

  package func countCertificates(now: Int64, endingBefore end: Int64) throws -> Int {
    let row = try row(
      "SELECT count(*) FROM certificates WHERE not_after > $1 AND not_after < $2 AND revoked IS NULL",
      [.integer(now), .integer(end)])
    return try row.map { Int(clamping: try $0.integer(0)) } ?? 0
  }
}
