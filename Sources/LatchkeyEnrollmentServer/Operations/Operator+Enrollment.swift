internal import Crypto
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
public import LatchkeyEnrollmentStore
internal import LatchkeySystem

// How devices enroll: profiles, one-time tokens, and devices that wait for an approval.

extension Operator {
  // MARK: Profiles

  /// Defines a profile.
  ///
  /// - Parameter replaces: whether to replace the one of its name. Devices get the new rules with their next certificate.
  /// - Throws: ``OperatorError``: `.invalid`; `.exists` unless it is replaced.
  public func addProfile(_ profile: DeviceProfile, replaces: Bool = false) async throws {
    try Self.check(profile)
    let added = entry("profile.defined", ["profile": profile.name])
    let isNew = try await store.write { store in
      if !replaces, try store.profile(named: profile.name) != nil { return false }
      try store.setProfile(profile)
      try store.audit(added)
      return true
    }
    guard isNew else {
      throw OperatorError.exists("there is a profile \(profile.name) already: give --replace to define it anew")
    }
  }

  /// All profiles by name, and the built-in `default` unless it was redefined.
  public func profiles() async throws -> [DeviceProfile] {
    let defined = try await store.read { try $0.profiles() }
    return defined.contains { $0.name == DeviceProfile.defaultName } ? defined : [.builtIn] + defined
  }

  /// The profile of a name.
  ///
  /// - Throws: ``OperatorError``: `.notFound`.
  public func profile(_ name: String) async throws -> DeviceProfile {
    guard let profile = try await profiles().first(where: { $0.name == name }) else { throw Self.noProfile(name) }
    return profile
  }

  /// Removes a profile; `default` becomes the built-in one again.
  ///
  /// - Throws: ``OperatorError``: `.notFound`; `.invalid` while valid devices, unused tokens or pending devices have it.
  public func removeProfile(_ name: String) async throws {
    let time = now
    let removed = entry("profile.removed", ["profile": name])
    try await store.write { store in
      let uses = name == DeviceProfile.defaultName ? 0 : try store.countUses(ofProfile: name, now: time)
      guard uses == 0 else {
        throw OperatorError.invalid(
          "\(uses) devices, tokens and pending devices have the profile \(name): revoke or reject them first")
      }
      guard try store.removeProfile(named: name) else { throw Self.noProfile(name) }
      try store.audit(removed)
    }
  }

  private static func noProfile(_ name: String) -> OperatorError {
    .notFound("there is no profile \(name): latchkey-server profile list shows all")
  }

  private static func check(_ profile: DeviceProfile) throws {
    guard DeviceProfile.isName(profile.name) else {
      throw OperatorError.invalid("a profile's name has 1 to 64 lower-case letters, digits and dashes")
    }
    guard !profile.ways.isEmpty else { throw OperatorError.invalid("a profile permits at least one way to register") }
    if let lifetime = profile.certificateLifetime, !(600...3660 * 86_400).contains(lifetime) {
      throw OperatorError.invalid("a certificate's lifetime is ten minutes to ten years")
    }
    if let late = profile.renewalAfterExpiry, !(0...3660 * 86_400).contains(late) {
      throw OperatorError.invalid("a certificate is renewed up to ten years after its end")
    }
    if let issuer = profile.issuer, !DeviceProfile.isName(issuer) {
      throw OperatorError.invalid("an authority's name has 1 to 64 lower-case letters, digits and dashes")
    }
    guard profile.alternativeNames.count <= 8 else {
      throw OperatorError.invalid("a profile has at most 8 alternative names")
    }
    guard (profile.requestedNames ?? []).count <= DeviceProfile.mostPatterns else {
      throw OperatorError.invalid("a profile permits at most \(DeviceProfile.mostPatterns) patterns of names")
    }
    do throws(AuthorityError) {
      try profile.checkPatterns()
      _ = try profile.alternativeNames(device: String(repeating: "0", count: 32), name: "name", user: "user")
    } catch { throw OperatorError.invalid("\(error)") }
  }

  // MARK: Tokens

  /// Creates a one-time enrollment token.
  ///
  /// - Parameters:
  ///   - user: the user whose device it registers.
  ///   - deviceName: the only name that the device may have; nil for any.
  ///   - profile: the name of the device's profile.
  ///   - lifetime: in seconds, one minute to 90 days.
  /// - Returns: the token's text, a secret that is not stored, and its record.
  /// - Throws: ``OperatorError``: `.notFound`, `.invalid`.
  public func createToken(
    user: String, deviceName: String? = nil, profile: String = DeviceProfile.defaultName, lifetime: Int64
  ) async throws -> (text: String, record: EnrollmentTokenRecord) {
    guard (60...90 * 86_400).contains(lifetime) else {
      throw OperatorError.invalid("a token's lifetime is a minute to 90 days")
    }
    if let deviceName, !ShownName.isValid(deviceName) {
      throw OperatorError.invalid("a device's name has 1 to \(ShownName.longest) characters, all of which show")
    }
    let rules = try await self.profile(profile)
    guard rules.ways.contains(.token) else {
      throw OperatorError.invalid("the profile \(profile) does not permit tokens")
    }
    guard deviceName != nil || !rules.namesDevices || rules.approval == .operator else {
      throw OperatorError.invalid("certificates of the profile \(profile) hold the device's name: give --device-name")
    }
    let text = EnrollmentToken.text(of: RandomBytes.fresh(EnrollmentToken.byteCount))
    let (id, time) = (Identifier.random(), now)
    let record = try await store.write { store in
      guard let owner = try store.user(entered: user)?.name else { throw OperatorError.noUser(user) }
      let record = EnrollmentTokenRecord(
        id: id, hash: Array(SHA256.hash(data: Array(text.utf8))), user: owner, deviceName: deviceName,
        profile: profile, created: time, expires: time + lifetime)
      try store.addEnrollmentToken(record)
      var fields = ["token": id.description, "user": owner.text, "profile": profile, "expires": "\(record.expires)"]
      if let deviceName { fields["name"] = deviceName }
      try store.audit(entry("token.created", fields))
      return record
    }
    return (text, record)
  }

  /// Revokes an unused token.
  ///
  /// - Throws: ``OperatorError``: `.notFound`, also for one that was used: revoke its device instead.
  public func revokeToken(_ text: String) async throws {
    let (id, time) = (try Self.identifier(text), now)
    let revoked = entry("token.revoked", ["token": text])
    let isRevoked = try await store.write { store in
      guard try store.revokeEnrollmentToken(id, at: time) else { return false }
      try store.audit(revoked)
      return true
    }
    guard isRevoked else {
      throw OperatorError.notFound(
        "there is no unused token \(text); if it was used, revoke its device (latchkey-server token list shows it)")
    }
  }

  // MARK: Devices that wait

  /// The names that devices have asked for in their signing requests: those of a device's certificates beside its profile's, or those
  /// that one which waits would get.
  ///
  /// - Returns: names in order, by device; devices without any are left out.
  public func requestedNames(of devices: [Identifier]) async throws -> [Identifier: [String]] {
    try await store.read { store in
      var found: [Identifier: [String]] = [:]
      for device in devices {
        let names = try store.requestedNames(of: device)
        if !names.isEmpty { found[device] = names }
      }
      return found
    }
  }

  /// Approves or rejects a device that waits. Approving it vouches for its name, too. An approved one can still be rejected while
  /// it has no certificate.
  ///
  /// - Throws: ``OperatorError``: `.notFound` for one that does not wait, was decided, or has expired.
  public func decidePendingDevice(_ text: String, isApproved: Bool) async throws {
    let (id, time) = (try Self.identifier(text), now)
    let decided = try await store.write { store in
      guard let pending = try store.pendingDevice(id),
        try store.decidePendingDevice(id, .init(isApproved: isApproved, by: .operator), at: time)
      else { return false }
      var fields = ["device": text, "user": pending.user.text]
      let names = try store.requestedNames(of: id)
      if !names.isEmpty { fields["names"] = names.joined(separator: " ") }
      try store.audit(entry(isApproved ? "device.approved" : "device.rejected", fields))
      return true
    }
    guard decided else {
      throw OperatorError.notFound("no device \(text) waits for an approval: latchkey-server device pending shows all")
    }
  }
}
