internal import LatchkeyEnrollmentProtocol
public import LatchkeyEnrollmentStore

// Lists, a page at a time: neither the memory nor the time of a page depends on how much there is or how little a search finds, and no
// writer waits for a reader. A page of a search reads so many records at most, and may be short.

extension Operator {
  /// Users by name.
  ///
  /// - Parameters:
  ///   - limit: the records of a page, at most 1000.
  ///   - cursor: ``RecordPage/next`` of the page before; nil for the first.
  /// - Throws: ``OperatorError``: `.invalid` for limit or cursor.
  public func users(
    _ filter: UserFilter = UserFilter(), limit: Int = 100, cursor: String? = nil
  ) async throws -> RecordPage<UserRecord> {
    let after = try cursor.map { text throws(OperatorError) in
      guard let name = String(validating: try PageCursor.key(text), as: UTF8.self) else { throw PageCursor.refusal }
      return UserName(stored: name)
    }
    let time = now
    return try await page(limit) {
      try $0.users(filter, after: after, now: time, limit: $1)
    } key: {
      Array($0.name.text.utf8)
    }
  }

  /// A user.
  ///
  /// - Throws: ``OperatorError``: `.notFound`.
  public func user(_ name: String) async throws -> UserRecord {
    try await store.read { store in
      guard let user = try store.user(entered: name) else { throw OperatorError.noUser(name) }
      return user
    }
  }

  /// Devices by identifier, of all users or of one.
  ///
  /// - Throws: ``OperatorError``: `.invalid` for limit or cursor, `.notFound` for an unknown user.
  public func devices(
    _ filter: DeviceFilter, limit: Int = 100, cursor: String? = nil
  ) async throws -> RecordPage<DeviceRecord> {
    let after = try cursor.map { text throws(OperatorError) in
      Identifier(bytes: try PageCursor.key(text, count: 16))
    }
    return try await page(limit) { store, limit in
      var filter = filter
      if let user = filter.user { filter.user = try Self.owner(user.text, in: store) }
      return try store.devices(filter, after: after ?? nil, limit: limit)
    } key: {
      $0.id.bytes
    }
  }

  /// Certificates by fingerprint, of all devices or of one.
  ///
  /// - Throws: ``OperatorError``: `.invalid` for limit or cursor.
  public func certificates(
    _ filter: CertificateFilter, limit: Int = 100, cursor: String? = nil
  ) async throws -> RecordPage<CertificateRecord> {
    let after = try cursor.map { text throws(OperatorError) in Fingerprint(try PageCursor.key(text, count: 32)) }
    let time = now
    return try await page(limit) {
      try $0.certificates(filter, after: after, now: time, limit: $1)
    } key: {
      $0.fingerprint.bytes
    }
  }

  /// Sessions that have not ended, of all users or of one. Their tokens are not stored; a session is known by its token's SHA-256.
  ///
  /// - Throws: ``OperatorError``: `.invalid` for limit or cursor, `.notFound` for an unknown user.
  public func sessions(
    of user: String? = nil, limit: Int = 100, cursor: String? = nil
  ) async throws -> RecordPage<TokenRecord> {
    let after = try cursor.map { text throws(OperatorError) in try PageCursor.key(text, count: 32) }
    let time = now
    return try await page(limit) { store, limit in
      let owner = try user.map { try Self.owner($0, in: store) }
      return try store.tokens(of: owner, after: after, now: time, limit: limit)
    } key: {
      $0.hash
    }
  }

  private static func owner(_ name: String, in store: any StoreTransaction) throws -> UserName {
    guard let user = try store.user(entered: name)?.name else { throw OperatorError.noUser(name) }
    return user
  }

  /// Enrollment tokens, newest first, also ones that ended less than a month ago.
  ///
  /// - Throws: ``OperatorError``: `.invalid` for limit or cursor.
  public func tokens(limit: Int = 100, cursor: String? = nil) async throws -> RecordPage<EnrollmentTokenRecord> {
    let after = try cursor.map(PageCursor.place)
    return try await page(limit) {
      try $0.enrollmentTokens(after: after, limit: $1)
    } key: {
      PageCursor.key(of: CreationPlace(created: $0.created, id: $0.id))
    }
  }

  /// The devices that wait for an approval, and those that were approved and have no certificate yet, oldest first.
  ///
  /// - Throws: ``OperatorError``: `.invalid` for limit or cursor.
  public func pendingDevices(
    limit: Int = 100, cursor: String? = nil
  ) async throws -> RecordPage<PendingDeviceRecord> {
    let after = try cursor.map(PageCursor.place)
    let time = now
    return try await page(limit) {
      try $0.pendingDevices(of: nil, after: after, now: time, limit: $1)
    } key: {
      PageCursor.key(of: CreationPlace(created: $0.created, id: $0.id))
    }
  }

  private func page<Record: Sendable>(
    _ limit: Int, _ read: @escaping @Sendable (any StoreTransaction, _ limit: Int) throws -> ListPart<Record>,
    key: (Record) -> [UInt8]
  ) async throws -> RecordPage<Record> {
    try PageCursor.check(limit: limit)
    let part = try await store.read { try read($0, limit) }
    return RecordPage(records: part.records, next: part.end.map { PageCursor.text(key($0)) })
  }
}
