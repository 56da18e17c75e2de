internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Registers a device, one per session that a password opened or per enrollment token, in one transaction. The certificate is
/// issued before; one that is not stored is discarded and valid nowhere.
struct RegistrationCeremony: Sendable {
  let services: Services
  let token: BearerToken
  /// What the request states besides the token.
  var wanted = RegistrationGrant.Wanted()
  /// The key, if its attestation was verified before; nil: the request has one, or none is required.
  var attested: AttestedKey?
  /// Whether the Idempotency-Key is derived from the signing request, as for EST, so that the client chooses no fresh one: a registration
  /// that was not approved in time begins anew, and one that waits under another key, of the same identity key, is continued.
  var derivesKey = false

  /// A response, and whether it was sent before.
  struct Answer: Sendable {
    let body: [UInt8]
    let isReplayed: Bool
    /// 201, or 202 for a device that waits for an approval.
    var status = 201
  }

  /// Registers a device that generated its own key. Repeating the request yields the same response, also in a later session of
  /// its user, while the certificate is valid: a lost response does not lose the device.
  ///
  /// If the profile requires an approval, the registration waits, without a certificate: its repetition is answered 202 until
  /// the approval, then with the certificate.
  ///
  /// - Throws: ``Problem``.
  func register(
    _ registration: DeviceRegistration, key: IdempotencyKey, digest: RequestDigest
  ) async throws -> Answer {
    try DeviceName.check(registration.name)
    let start = services.now
    let request = StoredRequest(key: key, digest: digest, beginsAnew: derivesKey)
    let (grant, found) = try await auditingRefusals(at: start) { store in
      let grant = try self.grant(for: key.text, in: store, now: start)
      let found = try request.state(of: grant, in: store, now: start)
      if case .new = found {
        try grant.permit(name: registration.name)
        // Checked before the signature, and again in the transaction that stores the device.
        try services.requireRoom(for: grant.user, in: store, now: start)
      }
      return (grant, found)
    }
    let made: Made
    let approved: PendingDeviceRecord?
    switch found {
    case .answered(let answer): return answer
    case .approved(let device, let profile):
      try profile.require(identityEvidence: device.identityEvidence, services.policy)
      let names = try await services.store.read { store in
        try store.refuseRevoked(identityKey: device.identityKey, of: device.user)
        return profile.permitted(try store.requestedNames(of: device.id), of: device.user)
      }
      made = try await make(DeviceRecord(approved: device, now: services.now), profile, names)
      approved = device
    case .new:
      let publicKey = try CertificateIssuer.publicKey(of: registration.signingRequest)
      let evidence = try evidence(registration, of: publicKey, grant.profile)
      let names = try grant.profile.requestedNames(
        in: registration.signingRequest, name: registration.name, user: grant.user)
      guard grant.profile.approval == .none else {
        return try await wait(registration.name, publicKey, evidence: evidence, names, grant.profile, request)
      }
      try await services.store.read { store in
        try store.refuseRevoked(identityKey: publicKey, of: grant.user)
        try store.refuseTaken(names, user: grant.user)
      }
      made = try await make(
        grant.device(registration.name, publicKey, evidence, now: services.now), grant.profile, names)
      approved = nil
    }
    let body = try JSONBytes.encode(made.answer(nil))
    return try await services.store.write { store in
      if let replayed = try request.answer(to: made.device.user, in: store, now: made.now) { return replayed }
      if let approved {
        try self.complete(made, approved, request: key.text, in: store)
      } else {
        try self.keep(made, request: key.text, in: store)
      }
      try request.keep(body, to: made.device.user, until: made.certificate.record.notAfter, in: store)
      return Answer(body: body, isReplayed: false)
    }
  }

  /// The evidence for a device's key, by the rules of now.
  private func evidence(
    _ registration: DeviceRegistration, of key: [UInt8], _ profile: DeviceProfile
  ) throws(Problem) -> String {
    guard let attested else {
      return try KeyEvidence(services: services).validate(registration, of: key, token: token, profile: profile)
    }
    guard attested.point == key else {
      throw Problem(.invalidSigningRequest, detail: "the signing request is of another key than the attestation")
    }
    try profile.require(identityEvidence: attested.evidence, services.policy)
    return attested.evidence
  }

  /// A device to be registered, and its response.
  struct Made: Sendable {
    let device: DeviceRecord
    let certificate: IssuedCertificate
    /// The rules by which the certificate was issued.
    let profile: DeviceProfile
    /// The names that its signing request asked for.
    let names: [AlternativeName]
    let now: Int64
    fileprivate let services: Services

    func answer(_ pkcs12: [UInt8]?) -> EnrolledDevice {
      services.enrolled(device.id, user: device.user, certificate, pkcs12: pkcs12)
    }
  }

  /// Creates the certificate of a device; neither is stored yet.
  func make(_ device: DeviceRecord, _ profile: DeviceProfile, _ names: [AlternativeName] = []) async throws -> Made {
    let now = device.created
    let certificate = try await services.issuer(of: profile).issue(
      to: device, profile: profile, requested: names, random: services.random(16), now: now)
    return Made(
      device: device, certificate: certificate, profile: profile, names: names, now: now, services: services)
  }

  /// Stores a device, and uses up the session's or the token's one registration.
  ///
  /// - Parameter request: the Idempotency-Key, if the request can be repeated.
  /// - Throws: `.notAuthenticated`; `.notPermitted` if the session has registered another, or if the rules changed meanwhile.
  func keep(_ made: Made, request: String? = nil, in store: any StoreTransaction) throws {
    let grant = try grant(for: request, in: store, now: made.now)
    // The operator may have replaced the profile since: the certificate was issued by the old one.
    guard grant.profile == made.profile, grant.profile.approval == .none else { throw Services.changedRules }
    try grant.permit(name: made.device.name)
    try services.requireRoom(for: made.device.user, in: store, now: made.now)
    try grant.claim(token, device: made.device.id, request: request, in: store, now: made.now)
    try add(made, grant.auditFields, in: store)
  }

  /// Stores an approved device.
  private func complete(
    _ made: Made, _ approved: PendingDeviceRecord, request: String, in store: any StoreTransaction
  ) throws {
    let grant = try grant(for: request, in: store, now: made.now)
    // The approval may have been taken back since, by its maker's end or the operator, and another one given.
    guard grant.user == approved.user, try store.pendingDevice(approved.id)?.decision == approved.decision,
      try store.takeApprovedDevice(approved.id, now: made.now)
    else { throw EnrollmentStoreError.contention }
    guard try store.rules(ofProfile: approved.profile) == made.profile else { throw Services.changedRules }
    try services.requireRoom(for: approved.user, in: store, now: made.now)
    var fields = grant.auditFields
    fields["profile"] = approved.profile
    try add(made, fields, in: store)
  }

  private func add(_ made: Made, _ fields: [String: String], in store: any StoreTransaction) throws {
    try store.refuseRevoked(identityKey: made.device.identityKey, of: made.device.user)
    try store.refuseTaken(made.names, user: made.device.user)
    try store.addDevice(made.device)
    try store.setRequestedNames(made.names.map(\.description), of: made.device.id)
    try store.addCertificate(made.certificate.record)
    var common = [
      "device": made.device.id.description, "user": made.device.user.text,
      "serial": Hexadecimal.encode(made.certificate.record.serial),
      "evidence": made.device.identityEvidence ?? "none",
    ]
    common["name_approval"] = made.device.nameApproval?.rawValue
    if let attested, !attested.identifiers.isEmpty {
      common["identifiers"] = attested.identifiers.joined(separator: " ")
    }
    if !made.names.isEmpty { common["names"] = made.names.map(\.description).joined(separator: " ") }
    try store.audit(
      AuditEntry(event: "device.registered", time: made.now, fields: fields.merging(common) { $1 }))
  }

  /// Stores a registration that waits for an approval, and uses up the session's or the token's one registration.
  private func wait(
    _ name: String, _ publicKey: [UInt8], evidence: String, _ names: [AlternativeName], _ profile: DeviceProfile,
    _ request: StoredRequest
  ) async throws -> Answer {
    let (id, now) = (Identifier.random(), services.now)
    return try await services.store.write { store in
      let grant = try self.grant(for: request.key.text, in: store, now: now)
      // Another attempt of the same request may have been first.
      if case .answered(let answer) = try request.state(of: grant, in: store, now: now) { return answer }
      guard grant.profile.approval != .none, grant.profile == profile else { throw Services.changedRules }
      if derivesKey {
        if let waiting = try store.pendingDevice(identityKey: publicKey, of: grant.user, now: now),
          waiting.profile == profile.name
        {
          guard waiting.decision?.isApproved != false else { throw StoredRequest.rejected }
          return try .pending(waiting, in: store)
        }
        _ = try store.removeExpiredDevice(request: request.key.text, of: grant.user, now: now)
      }
      try grant.permit(name: name)
      try store.refuseRevoked(identityKey: publicKey, of: grant.user)
      try store.refuseTaken(names, user: grant.user)
      try services.requireRoom(for: grant.user, in: store, now: now)
      let most = self.services.limits.pendingDevicesPerUser
      guard try store.countPendingDevices(of: grant.user, now: now) < most else {
        throw TryLater(
          .tooManyRequests, seconds: 3600,
          detail: "\(most) devices of this user wait for an approval; decide about them first")
      }
      try grant.claim(self.token, device: id, request: request.key.text, in: store, now: now)
      let pending = PendingDeviceRecord(
        id: id, user: grant.user, name: name, profile: grant.profile.name, identityKey: publicKey,
        identityEvidence: evidence, request: request.key.text, digest: request.digest, created: now,
        expires: now + self.services.policy.pendingLifetime, nameApproval: grant.nameApproval)
      guard try store.addPendingDevice(pending) else { throw EnrollmentStoreError.contention }
      try store.setRequestedNames(names.map(\.description), of: id)
      var fields = grant.auditFields
      fields["device"] = id.description
      fields["user"] = grant.user.text
      fields["evidence"] = evidence
      if let attested, !attested.identifiers.isEmpty {
        fields["identifiers"] = attested.identifiers.joined(separator: " ")
      }
      if !names.isEmpty { fields["names"] = names.map(\.description).joined(separator: " ") }
      try store.audit(AuditEntry(event: "device.pending", time: now, fields: fields))
      return try .pending(pending, in: store)
    }
  }

  /// What permits the registration.
  func grant(for request: String?, in store: any StoreTransaction, now: Int64) throws -> RegistrationGrant {
    try RegistrationGrant(
      token, request: request, wanted: wanted, in: store, now: now, policy: services.policy)
  }

  /// Reads the store; a refused enrollment token is audited, as refused logins are.
  func auditingRefusals<T: Sendable>(
    at now: Int64, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
  ) async throws -> T {
    do {
      return try await services.store.read(body)
    } catch let problem as Problem where token.isForEnrollment {
      if let others = services.refusedLogins.row(now: services.time) {
        var fields = ["reason": problem.code.rawValue]
        if others > 0 { fields["others"] = "\(others)" }
        let entry = AuditEntry(event: "token.refused", time: now, fields: fields)
        try await services.store.write { try $0.audit(entry) }
      }
      throw problem
    }
  }

}

/// A repeatable registration: the caller's key, and the digest of its request.
private struct StoredRequest: Sendable {
  let key: IdempotencyKey
  let digest: RequestDigest
  /// Whether it begins anew if it was not approved in time.
  let beginsAnew: Bool

  /// What became of the request before.
  enum State: Sendable {
    case answered(RegistrationCeremony.Answer)
    case approved(PendingDeviceRecord, DeviceProfile)
    case new
  }

  /// - Throws: `.idempotencyMismatch`; `.notPermitted` for one that was rejected, or not approved in time; `.notAuthenticated`
  ///   for a used token whose registration is no longer stored.
  func state(of grant: RegistrationGrant, in store: any StoreTransaction, now: Int64) throws -> State {
    if let answer = try answer(to: grant.user, in: store, now: now) { return .answered(answer) }
    guard let pending = try store.pendingDevice(request: key.text, of: grant.user) else {
      guard grant.use == nil else { throw RegistrationGrant.refused }
      return .new
    }
    guard pending.digest == digest else { throw Self.mismatch }
    guard pending.decision?.isApproved != false else { throw Self.rejected }
    guard pending.expires > now else {
      // A token was used by it, and has no second use.
      if beginsAnew, grant.use == nil { return .new }
      throw Problem(
        .notPermitted, detail: "the registration was not approved in time; register again, with a fresh key")
    }
    guard pending.decision?.isApproved == true else { return .answered(try .pending(pending, in: store)) }
    return .approved(pending, try store.rules(ofProfile: pending.profile))
  }

  static let rejected = Problem(.notPermitted, detail: "the registration of this device was rejected")

  private static let mismatch = Problem(
    .idempotencyMismatch, detail: "this Idempotency-Key came with another registration, or long ago; use a fresh one")

  /// The stored response to it.
  ///
  /// - Throws: `.idempotencyMismatch`.
  func answer(
    to user: UserName, in store: any StoreTransaction, now: Int64
  ) throws -> RegistrationCeremony.Answer? {
    guard let answer = try store.answer(to: key.text, scope: AnswerScope.registrations(of: user)) else { return nil }
    guard answer.digest == digest, answer.expires > now else {
      throw Self.mismatch
    }
    // A certificate that is no longer valid is no response.
    let enrolled = try JSONDecoder().decode(EnrolledDevice.self, from: Data(answer.body))
    guard let device = Identifier(enrolled.device), try store.device(device)?.revoked == nil else {
      throw Problem(
        .idempotencyMismatch, detail: "the device that this Idempotency-Key registered was revoked; use a fresh one")
    }
    return RegistrationCeremony.Answer(body: answer.body, isReplayed: true)
  }

  func keep(_ body: [UInt8], to user: UserName, until expires: Int64, in store: any StoreTransaction) throws {
    let answer = StoredAnswer(digest: digest, status: 201, body: body, expires: expires)
    guard try store.addAnswer(answer, to: key.text, scope: AnswerScope.registrations(of: user)) else {
      throw EnrollmentStoreError.contention
    }
  }
}

extension RegistrationCeremony.Answer {
  /// The answer about a device that waits for an approval.
  fileprivate static func pending(_ record: PendingDeviceRecord, in store: any StoreTransaction) throws -> Self {
    Self(body: try JSONBytes.encode(store.pendingDevice(record)), isReplayed: false, status: 202)
  }
}

/// Validates device names.
enum DeviceName {
  /// - Throws: `.invalidName`.
  static func check(_ name: String) throws(Problem) {
    guard ShownName.isValid(name) else {
      throw Problem(
        .invalidName, detail: "a device's name has 1 to \(ShownName.longest) characters, all of which show")
    }
  }
}

extension RegistrationGrant {
  /// The device that is registered at once.
  func device(_ name: String, _ key: [UInt8], _ evidence: String, now: Int64) -> DeviceRecord {
    DeviceRecord(
      id: .random(), user: user, name: name, created: now, identityKey: key, identityEvidence: evidence,
      profile: profile.name, nameApproval: nameApproval)
  }
}

extension DeviceRecord {
  /// The device of an approved registration. The operator, who approved it under its name, vouches for the name.
  fileprivate init(approved pending: PendingDeviceRecord, now: Int64) {
    self.init(
      id: pending.id, user: pending.user, name: pending.name, created: now, identityKey: pending.identityKey,
      identityEvidence: pending.identityEvidence, profile: pending.profile,
      nameApproval: pending.nameApproval ?? (pending.decision?.maker == .operator ? .operator : nil))
  }
}

extension StoreTransaction {
  /// Refuses the key of a revoked device of the same user: a thief of the key would be let in again. Other users' do not
  /// count: a signing request is no secret, and who registers another's and revokes it must not lock that one out.
  ///
  /// - Throws: `.invalidSigningRequest`.
  func refuseRevoked(identityKey key: [UInt8], of user: UserName) throws {
    guard try !isRevoked(identityKey: key, of: user) else {
      throw Problem(
        .invalidSigningRequest, detail: "the key of this request is that of a revoked device; make another one")
    }
  }
}

extension Services {
  static let changedRules = Problem(
    .unavailable, detail: "the rules for this device have changed meanwhile; try again")

  /// - Throws: `.notPermitted` if the user has the maximum number of devices.
  func requireRoom(for user: UserName, in store: any StoreTransaction, now: Int64) throws {
    let most = limits.devicesPerUser
    guard try store.countDevices(of: user, now: now) < most else {
      throw Problem(
        .notPermitted,
        detail:
          "the user has \(most) devices, and may have no more: revoke one that is not used any more, on the device itself "
          + "or by the operator (latchkey-server device list, device revoke), then register again")
    }
  }

  /// Creates the response about a device's certificate.
  func enrolled(
    _ device: Identifier, user: UserName, _ certificate: IssuedCertificate, pkcs12: [UInt8]? = nil
  ) -> EnrolledDevice {
    EnrolledDevice(
      device: device.description, user: user.text,
      certificates: ([certificate.der] + certificate.chain).map(Base64Bytes.init),
      notAfter: certificate.record.notAfter, serverKey: Base64Bytes(configuration.answerKey.publicKey),
      serverKeyID: answerKeyID, pkcs12: pkcs12.map(Base64Bytes.init))
  }
}
