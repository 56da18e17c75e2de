internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// A login by password. A failure reveals nothing, neither by the response nor by its time: neither whether the user exists,
/// nor whether the user is locked.
///
/// Wrong passwords lock out their origin for this user (``LoginPlaces``). Those from origins that never logged the user in are
/// counted together, in the store: beyond ``ServerLimits/passwordFailuresPerDay`` a day the user is locked for such origins,
/// until the count has decreased over time or by `latchkey-server user unlock`. The user's devices and the known addresses are
/// still admitted. Concurrent attempts are counted one after the other.
struct PasswordLoginCeremony: Sendable {
  let services: Services

  /// - Parameter origin: the login's origin; another user's device counts as none for the session.
  /// - Returns: a session over that device's certificate; or one without a device, which may register one.
  /// - Throws: `.notAuthenticated`; ``TryLater`` for too many logins, or too many wrong passwords from this origin.
  func login(
    user entered: String, password: SecretBytes, from origin: LoginOrigin = LoginOrigin()
  ) async throws -> SessionToken {
    // If a concurrent login replaced the password's hash during the check, the password is checked against the new one.
    if let session = try await session(entered, password, origin, isLast: false) { return session }
    guard let session = try await session(entered, password, origin, isLast: true) else { throw Self.refusal }
    return session
  }

  /// - Returns: nil if the user's hash was replaced meanwhile, and this was not the last attempt.
  private func session(
    _ entered: String, _ password: SecretBytes, _ origin: LoginOrigin, isLast: Bool
  ) async throws -> SessionToken? {
    let isReadable = (1...Passwords.longest).contains(password.count)
    // An invalid name never logs in, but its attempts are counted as well.
    let unknown = (try? UserName(entered: entered)) ?? UserName(stored: entered)
    let (known, isPlaceKnown): (UserRecord?, Bool) =
      isReadable
      ? try await services.store.read { store in
        let known = try store.user(entered: entered)
        let place = LoginPlaces.Place(user: known?.name ?? unknown, origin: origin)
        return (known, try store.isLoginPlace(place.digest, of: known?.name ?? unknown))
      } : (nil, false)
    let name = known?.name ?? unknown
    let device = origin.device?.user == name ? origin.device?.id : nil
    let check = PasswordCheck(
      services: services, user: name, origin: origin, isOwnDevice: device != nil,
      isPlaceKnown: isPlaceKnown)
    let verdict = try await check.verdict(isReadable ? password : SecretBytes([]), known?.passwordHash)
    let attempt = check.attempt(on: known, verdict)
    let session = SessionToken(
      user: name, device: device, random: services.random(32), now: attempt.now, policy: services.policy)
    let isIn: Bool? = try await services.store.write { store in
      if !isLast, try attempt.isOvertaken(in: store) { return nil }
      guard try attempt.verify(in: store) else { return false }
      try store.addToken(session.record)
      if device == nil { try store.noteLoginPlace(check.place.digest, of: name, now: attempt.now) }
      return true
    }
    guard let isIn else {
      check.cancel()
      return nil
    }
    guard isIn else {
      check.fail()
      throw Self.refusal
    }
    check.succeed()
    return session
  }

  static let refusal = Problem(
    .notAuthenticated, detail: "user or password are wrong, or the user is locked for a while; try again later")
}

/// The check of one password from one origin: counted beforehand, and queued fairly among others.
struct PasswordCheck: Sendable {
  let services: Services
  let place: LoginPlaces.Place
  private let source: HeavyWork.Source
  /// Whether other origins' failures are ignored here.
  let isKnown: Bool

  /// - Parameters:
  ///   - isOwnDevice: whether the user's own device sends the request.
  ///   - isPlaceKnown: whether the user logged in from this origin before.
  init(services: Services, user: UserName, origin: LoginOrigin, isOwnDevice: Bool, isPlaceKnown: Bool = false) {
    self.services = services
    place = LoginPlaces.Place(user: user, origin: origin)
    isKnown = isOwnDevice || isPlaceKnown
    source = origin.source(of: place.user, isOwnDevice: isOwnDevice, isKnown: isKnown)
  }

  /// - Throws: ``TryLater``.
  func verdict(_ password: SecretBytes, _ hash: String?) async throws -> Passwords.Verdict {
    try services.loginPlaces.begin(place, now: services.time)
    do {
      return try await services.passwords.check(password, against: hash, for: source)
    } catch {
      cancel()
      throw error
    }
  }

  func attempt(on user: UserRecord?, _ verdict: Passwords.Verdict) -> PasswordAttempt {
    PasswordAttempt(
      checked: user, isRight: verdict.isRight, stronger: verdict.stronger, isKnown: isKnown, now: services.now,
      limits: services.limits,
      row: verdict.isRight && user != nil ? 0 : services.refusedLogins.row(now: services.time))
  }

  /// Uncounts an attempt that was not checked.
  func cancel() { services.loginPlaces.cancel(place, now: services.time) }

  func fail() { services.loginPlaces.fail(place, now: services.time) }

  func succeed() { services.loginPlaces.succeed(place, now: services.time) }
}

/// The effect of a checked password on its user.
struct PasswordAttempt: Sendable {
  /// The user record against which the password was checked.
  let checked: UserRecord?
  let isRight: Bool
  /// The replacement for the hash that was checked, if that is weak.
  var stronger: String?
  /// Whether the origin is known for the user.
  var isKnown = false
  let now: Int64
  let limits: ServerLimits
  /// The number of refused logins that were not audited before this one; nil if a refusal of this one is not audited either.
  var row: Int? = 0

  /// Whether the password matches a hash that the user no longer has.
  func isOvertaken(in store: any StoreTransaction) throws -> Bool {
    guard isRight, let checked else { return false }
    return try store.user(named: checked.name)?.passwordHash != checked.passwordHash
  }

  /// Decides whether the user is logged in, and counts failures.
  func verify(in store: any StoreTransaction) throws -> Bool {
    guard let checked, var user = try store.user(named: checked.name) else {
      // Costs the same as other refusals, and records attempts to guess names.
      try refuse(["reason": "unknown user"], in: store)
      return false
    }
    guard user.disabled == nil else {
      try refuse(["user": user.name.text, "reason": "disabled"], in: store)
      return false
    }
    if !isKnown, let locked = user.lockedUntil, locked > now {
      try refuse(["user": user.name.text, "reason": "locked"], in: store)
      return false
    }
    // The password may have been changed meanwhile.
    guard isRight, user.passwordHash == checked.passwordHash else {
      user.failures = min(user.failures + 1, 1_000_000)
      var fields = ["user": user.name.text, "reason": "wrong password", "failures": "\(user.failures)"]
      if !isKnown {
        let end = lockEnd(after: user.lockedUntil)
        user.lockedUntil = end
        if end > now { fields["locked_until"] = "\(end)" }
      }
      try store.updateUser(user)
      try refuse(fields, in: store)
      return false
    }
    if user.failures != 0 || stronger != nil {
      user.failures = 0
      user.passwordHash = stronger ?? user.passwordHash
      try store.updateUser(user)
    }
    try store.audit(AuditEntry(event: "login.password", time: now, fields: ["user": user.name.text]))
    return true
  }

  private func refuse(_ fields: [String: String], in store: any StoreTransaction) throws {
    guard let row else {
      // Commits as the other paths do, so that the time does not reveal whether the user exists.
      try store.setSetting("login.refused", to: [])
      return
    }
    var fields = fields
    if row > 0 { fields["others"] = "\(row)" }
    try store.audit(AuditEntry(event: "login.refused", time: now, fields: fields))
  }

  /// Until when the user is locked for unknown origins after one more wrong password from there; a time in the past while
  /// attempts are left.
  ///
  /// Each wrong password moves it on by one day divided by the daily limit, from a day ago at the earliest. It is in the future
  /// once a whole day's number has come, and the count decays as time passes.
  func lockEnd(after previous: Int64?) -> Int64 {
    let day: Int64 = 86_400
    let share = max(1, day / Int64(max(1, limits.passwordFailuresPerDay)))
    return min(max(now - day, previous ?? .min) + share, now + share)
  }
}
