internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

// Users: added, disabled, unlocked, and their sessions.

extension Operator {
  /// Adds a user who logs in with `password`.
  ///
  /// - Throws: ``OperatorError``: `.exists`, or `.invalid` for an invalid name or password.
  public func addUser(_ name: String, password: String) async throws {
    try await addUser(name, hash: hash(password))
  }

  func addUser(_ name: String, hash: String) async throws {
    let user = UserRecord(name: try Self.checkedName(name), passwordHash: hash)
    let entered = name
    let added = entry("user.added", ["user": user.name.text])
    let isNew = try await store.write { store in
      // Also refused if the name exists in an earlier version's form.
      guard try store.user(entered: entered) == nil, try store.addUser(user) else { return false }
      try store.audit(added)
      return true
    }
    guard isNew else { throw OperatorError.exists("there is a user \(name) already") }
  }

  /// Sets a user's password, ends a lock, and deletes the known login origins. Devices stay.
  ///
  /// - Parameter endsSessions: whether to end sessions; otherwise they continue until they expire.
  /// - Throws: ``OperatorError``: `.notFound`, `.invalid`.
  public func setPassword(_ password: String, of name: String, endsSessions: Bool = false) async throws {
    try await setHash(hash(password), of: name, endsSessions: endsSessions)
  }

  func setHash(_ hash: String, of name: String, endsSessions: Bool) async throws {
    let isKnown = try await store.write { store in
      guard var user = try store.user(entered: name) else { return false }
      user.passwordHash = hash
      user.failures = 0
      user.lockedUntil = nil
      try store.updateUser(user)
      // An intruder may have logged in with the old password.
      try store.forgetLoginPlaces(of: user.name)
      var fields = ["user": user.name.text]
      if endsSessions { fields["sessions"] = "\(try store.forgetTokens(of: user.name))" }
      try store.audit(entry("user.password", fields))
      return true
    }
    guard isKnown else { throw OperatorError.noUser(name) }
  }

  /// Ends a user's lock, and deletes the wrong passwords that led to it. Origins that guessed stay locked out.
  ///
  /// - Throws: ``OperatorError``: `.notFound`.
  public func unlock(_ name: String) async throws {
    let isKnown = try await store.write { store in
      guard var user = try store.user(entered: name) else { return false }
      user.failures = 0
      user.lockedUntil = nil
      try store.updateUser(user)
      try store.audit(entry("user.unlocked", ["user": user.name.text]))
      return true
    }
    guard isKnown else { throw OperatorError.noUser(name) }
  }

  private static func checkedName(_ name: String) throws -> UserName {
    do throws(UserNameError) { return try UserName(entered: name) } catch { throw OperatorError.invalid("\(error)") }
  }

  // MARK: Disabling

  /// Disables a user: logins, and requests of the user's devices, are refused on all servers, within their staleness on others; the
  /// sessions end, and devices that wait for an approval, or were approved and have no certificate yet, are rejected. Nothing is
  /// revoked: enabled again, the user's devices count as before.
  ///
  /// - Throws: ``OperatorError``: `.notFound`; `.exists` if the user is disabled already.
  public func disable(_ name: String) async throws {
    let time = now
    try await store.write { store in
      guard let user = try store.user(entered: name)?.name else { throw OperatorError.noUser(name) }
      guard try store.setDisabled(time, of: user) else {
        throw OperatorError.exists("the user \(name) is disabled already")
      }
      let ended = try store.forgetTokens(of: user)
      let rejected = try store.rejectPendingDevices(of: user, by: .operator, at: time)
      try store.audit(
        entry("user.disabled", ["user": user.text, "sessions": "\(ended)", "rejected": "\(rejected)"]))
    }
  }

  /// Enables a user who was disabled.
  ///
  /// - Throws: ``OperatorError``: `.notFound`; `.exists` if the user is not disabled.
  public func enable(_ name: String) async throws {
    try await store.write { store in
      guard let user = try store.user(entered: name)?.name else { throw OperatorError.noUser(name) }
      guard try store.setDisabled(nil, of: user) else { throw OperatorError.exists("the user \(name) is not disabled") }
      try store.audit(entry("user.enabled", ["user": user.text]))
    }
  }

  // MARK: Sessions

  /// Ends all sessions of a user.
  ///
  /// - Returns: how many there were.
  /// - Throws: ``OperatorError``: `.notFound`.
  @discardableResult
  public func endSessions(of name: String) async throws -> Int {
    try await store.write { store in
      guard let user = try store.user(entered: name)?.name else { throw OperatorError.noUser(name) }
      let ended = try store.forgetTokens(of: user)
      try store.audit(entry("sessions.ended", ["user": user.text, "sessions": "\(ended)"]))
      return ended
    }
  }

  /// Ends one session.
  ///
  /// - Parameter text: the session's identifier in lists, 64 hexadecimal digits: not its token.
  /// - Throws: ``OperatorError``: `.notFound`, `.invalid`.
  public func endSession(_ text: String) async throws {
    guard let hash = PageCursor.bytes(hexadecimal: text, count: 32) else {
      throw OperatorError.invalid("a session's identifier has 64 digits 0-9 a-f")
    }
    try await store.write { store in
      guard try store.forgetToken(hash: hash) else { throw OperatorError.notFound("there is no such session") }
      try store.audit(entry("session.ended", ["session": String(text.prefix(16))]))
    }
  }
}
