internal import EnrollmentProtocol
internal import EnrollmentStore

/// A login with a password. Whoever fails learns nothing from it, neither from the answer nor from its time: not whether there is
/// such a user, not whether the user is locked.
///
/// Wrong passwords in a row lock the user: first for ``ServerLimits/lockSeconds``, with each further one twice as long, up to a day.
/// While the lock lasts no password counts, so nobody can make it longer; guesses that are checked at the same time are counted one
/// after the other, and what was right but came after the lock is refused, too.
struct PasswordLoginCeremony: Sendable {
  let services: Services

  /// - Parameter device: the device whose certificate was shown; another user's counts as none.
  /// - Returns: a session over that device's certificate; or one without a device, good to register one.
  /// - Throws: `.notAuthenticated`; ``TryLater`` where too many log in.
  func login(user entered: String, password: Secret, over device: AuthenticatedDevice? = nil) async throws
    -> SessionToken
  {
    let isReadable = password.withBytes { (1...Passwords.longest).contains($0.count) }
    let known = isReadable ? try await services.store.read { try $0.user(entered: entered) } : nil
    let isRight = try await services.passwords.check(isReadable ? password : Secret([]), against: known?.passwordHash)
    let now = services.now
    // Nobody is let in by a name that nobody has.
    let name = known?.name ?? UserName(stored: "")
    let session = SessionToken(
      user: name, device: device?.user == name ? device?.id : nil, random: services.random(32), now: now,
      policy: services.policy)
    let limits = services.limits
    let isIn = try await services.store.write { store in
      let attempt = PasswordAttempt(checked: known, isRight: isRight, now: now, limits: limits)
      guard try attempt.judge(in: store) else { return false }
      try store.addToken(session.record)
      return true
    }
    guard isIn else { throw Self.refusal }
    return session
  }

  static let refusal = Problem(
    .notAuthenticated, detail: "user or password are wrong, or the user is locked for a while; try again later")
}

/// What a password that was checked means for its user.
struct PasswordAttempt: Sendable {
  /// The user as the password was checked against it.
  let checked: UserRecord?
  let isRight: Bool
  let now: Int64
  let limits: ServerLimits

  /// Whether the user is logged in; counts failures.
  func judge(in store: any StoreTransaction) throws -> Bool {
    guard let checked, var user = try store.user(named: checked.name) else {
      // Costs what the others cost, and shows guessing of names.
      try store.audit(AuditEntry(event: "login.refused", time: now, fields: ["reason": "unknown user"]))
      return false
    }
    if let locked = user.lockedUntil, locked > now {
      try store.audit(
        AuditEntry(event: "login.refused", time: now, fields: ["user": user.name.text, "reason": "locked"]))
      return false
    }
    // The password may have been changed since.
    guard isRight, user.passwordHash == checked.passwordHash else {
      user.failures = min(user.failures + 1, 1_000_000)
      var fields = ["user": user.name.text, "reason": "wrong password", "failures": "\(user.failures)"]
      if user.failures >= limits.passwordFailures {
        let end = now + lockDuration(after: user.failures)
        user.lockedUntil = end
        fields["locked_until"] = "\(end)"
      }
      try store.updateUser(user)
      try store.audit(AuditEntry(event: "login.refused", time: now, fields: fields))
      return false
    }
    if user.failures != 0 || user.lockedUntil != nil {
      user.failures = 0
      user.lockedUntil = nil
      try store.updateUser(user)
    }
    try store.audit(AuditEntry(event: "login.password", time: now, fields: ["user": user.name.text]))
    return true
  }

  /// Seconds of a lock: doubled for each failure beyond the first that locks, up to a day.
  func lockDuration(after failures: Int) -> Int64 {
    let doublings = min(max(0, failures - limits.passwordFailures), 32)
    return min(min(max(1, limits.lockSeconds), 86_400) << Int64(doublings), 86_400)
  }
}
