internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// A login with a password. Anyone who fails learns nothing from it, neither from the answer nor from its time: not whether there is
/// such a user, not whether the user is locked.
///
/// Wrong passwords lock the place that they come from out, for this user (``LoginPlaces``). Those from places that never logged the
/// user in are counted together, in the store: beyond ``ServerLimits/passwordFailuresPerDay`` a day the user is locked for such
/// places, until the count has gone down again, by itself or by `latchkey-server user unlock`. The user's devices and the addresses
/// that are known are let in meanwhile. Guesses that are checked at the same time are counted one after the other.
struct PasswordLoginCeremony: Sendable {
  let services: Services

  /// - Parameter origin: where the login comes from; another user's device counts as none for the session.
  /// - Returns: a session over that device's certificate; or one without a device, good to register one.
  /// - Throws: `.notAuthenticated`; ``TryLater`` where too many log in, or too many wrong passwords came from here.
  func login(
    user entered: String, password: SecretBytes, from origin: LoginOrigin = LoginOrigin()
  ) async throws -> SessionToken {
    // While a password was checked another login with it may have made its hash anew: it is checked against that one then.
    if let session = try await session(entered, password, origin, isLast: false) { return session }
    guard let session = try await session(entered, password, origin, isLast: true) else { throw Self.refusal }
    return session
  }

  /// - Returns: nil if the user's hash is another by now, and this was not the last try.
  private func session(
    _ entered: String, _ password: SecretBytes, _ origin: LoginOrigin, isLast: Bool
  ) async throws -> SessionToken? {
    let isReadable = (1...Passwords.longest).contains(password.count)
    // Nobody is let in by a name that nobody has; what is tried by it is counted all the same.
    let nobody = (try? UserName(entered: entered)) ?? UserName(stored: entered)
    let (known, isPlaceKnown): (UserRecord?, Bool) =
      isReadable
      ? try await services.store.read { store in
        let known = try store.user(entered: entered)
        let place = LoginPlaces.Place(user: known?.name ?? nobody, origin: origin)
        return (known, try store.isLoginPlace(place.digest, of: known?.name ?? nobody))
      } : (nil, false)
    let name = known?.name ?? nobody
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
      guard try attempt.judge(in: store) else { return false }
      try store.addToken(session.record)
      if device == nil { try store.noteLoginPlace(check.place.digest, of: name, now: attempt.now) }
      return true
    }
    guard let isIn else {
      check.cancel()
      return nil
    }
    guard isIn else { throw Self.refusal }
    check.succeed()
    return session
  }

  static let refusal = Problem(
    .notAuthenticated, detail: "user or password are wrong, or the user is locked for a while; try again later")
}

/// The check of one password, from one place: counted before, and with its turn among those that others want.
struct PasswordCheck: Sendable {
  let services: Services
  let place: LoginPlaces.Place
  private let source: HeavyWork.Source
  /// Whether what others guess does not count here.
  let isKnown: Bool

  /// - Parameters:
  ///   - isOwnDevice: whether the user's own device asks.
  ///   - isPlaceKnown: whether the user logged in from there before.
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

  /// It was no try after all.
  func cancel() { services.loginPlaces.cancel(place, now: services.time) }

  func succeed() { services.loginPlaces.succeed(place, now: services.time) }
}

/// What a password that was checked means for its user.
struct PasswordAttempt: Sendable {
  /// The user as the password was checked against it.
  let checked: UserRecord?
  let isRight: Bool
  /// What to keep instead of the hash that it was checked against, which is a weak one.
  var stronger: String?
  /// Whether it came from where the user is known.
  var isKnown = false
  let now: Int64
  let limits: ServerLimits
  /// How many refused logins before were not written down; nil if this is not, either, should it be refused.
  var row: Int? = 0

  /// Whether the password is right by a hash that is not the user's any more.
  func isOvertaken(in store: any StoreTransaction) throws -> Bool {
    guard isRight, let checked else { return false }
    return try store.user(named: checked.name)?.passwordHash != checked.passwordHash
  }

  /// Whether the user is logged in; counts failures.
  func judge(in store: any StoreTransaction) throws -> Bool {
    guard let checked, var user = try store.user(named: checked.name) else {
      // Costs what the others cost, and shows guessing of names.
      try refuse(["reason": "unknown user"], in: store)
      return false
    }
    if !isKnown, let locked = user.lockedUntil, locked > now {
      try refuse(["user": user.name.text, "reason": "locked"], in: store)
      return false
    }
    // The password may have been changed since.
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
      // A commit takes its time: who measures it must not learn whether there is such a user.
      try store.setSetting("login.refused", to: [])
      return
    }
    var fields = fields
    if row > 0 { fields["others"] = "\(row)" }
    try store.audit(AuditEntry(event: "login.refused", time: now, fields: fields))
  }

  /// Until when the user is locked for places that are not known, after one more wrong password from there; a time that is past
  /// while there are tries left.
  ///
  /// Each wrong password moves it on by a day's share, from a day ago at the earliest: so it is beyond now when a whole day's
  /// number came, and what was counted is forgotten as time goes on.
  func lockEnd(after previous: Int64?) -> Int64 {
    let day: Int64 = 86_400
    let share = max(1, day / Int64(max(1, limits.passwordFailuresPerDay)))
    return min(max(now - day, previous ?? .min) + share, now + share)
  }
}
