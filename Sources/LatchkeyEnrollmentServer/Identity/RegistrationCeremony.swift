internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Registers a device, one per session that a password opened, in one transaction. The certificate is issued before; one that
/// is not stored is discarded and valid nowhere.
struct RegistrationCeremony: Sendable {
  let services: Services
  let token: BearerToken

  /// A response, and whether it was sent before.
  struct Answer: Sendable {
    let body: [UInt8]
    let isReplayed: Bool
  }

  /// Registers a device that generated its own key. Repeating the request yields the same response, also in a later session of
  /// its user, while the certificate is valid: a lost response does not lose the device.
  ///
  /// - Throws: ``Problem``.
  func register(
    _ registration: DeviceRegistration, key: IdempotencyKey, digest: RequestDigest
  ) async throws -> Answer {
    try DeviceName.check(registration.name)
    let start = services.now
    let request = StoredRequest(key: key, digest: digest)
    let (user, replayed) = try await services.store.read { store in
      let user = try self.session(in: store, now: start).user
      let replayed = try request.answer(to: user, in: store, now: start)
      // Checked before the signature, and again in the transaction that stores the device.
      if replayed == nil { try self.requireRoom(for: user, in: store, now: start) }
      return (user, replayed)
    }
    if let replayed { return replayed }
    let publicKey = try CertificateIssuer.publicKey(of: registration.signingRequest)
    let evidence = try KeyEvidence(services: services).validate(registration, of: publicKey, token: token)
    let made = try await make(name: registration.name, user: user, publicKey: publicKey, evidence: evidence)
    let body = try JSONBytes.encode(made.answer(nil))
    return try await services.store.write { store in
      if let replayed = try request.answer(to: user, in: store, now: made.now) { return replayed }
      try self.keep(made, in: store)
      try request.keep(body, to: user, until: made.certificate.record.notAfter, in: store)
      return Answer(body: body, isReplayed: false)
    }
  }

  /// A device to be registered, and its response.
  struct Made: Sendable {
    let device: DeviceRecord
    let certificate: IssuedCertificate
    /// The proven evidence for its key.
    let evidence: String
    let now: Int64
    private let services: Services

    fileprivate init(
      device: DeviceRecord, certificate: IssuedCertificate, evidence: String, now: Int64, services: Services
    ) {
      self.device = device
      self.certificate = certificate
      self.evidence = evidence
      self.now = now
      self.services = services
    }

    func answer(_ pkcs12: [UInt8]?) -> EnrolledDevice {
      services.enrolled(device.id, user: device.user, certificate, pkcs12: pkcs12)
    }
  }

  /// Creates a device with its certificate; neither is stored yet.
  func make(name: String, user: UserName, publicKey: [UInt8], evidence: String) async throws -> Made {
    let (id, now) = (Identifier.random(), services.now)
    let certificate = try await services.issuer.issue(
      to: id, user: user, publicKey: publicKey, random: services.random(16), now: now)
    let device = DeviceRecord(
      id: id, user: user, name: name, created: now, identityKey: publicKey, identityEvidence: evidence)
    return Made(device: device, certificate: certificate, evidence: evidence, now: now, services: services)
  }

  /// Stores a device, and uses up the session's one registration.
  ///
  /// - Throws: `.notAuthenticated`; `.notPermitted` if the session has registered another.
  func keep(_ made: Made, in store: any StoreTransaction) throws {
    _ = try session(in: store, now: made.now)
    try requireRoom(for: made.device.user, in: store, now: made.now)
    guard try store.claimRegistration(token: token.hash) else { throw Self.used }
    try store.addDevice(made.device)
    try store.addCertificate(made.certificate.record)
    try store.audit(
      AuditEntry(
        event: "device.registered", time: made.now,
        fields: [
          "device": made.device.id.description, "user": made.device.user.text,
          "serial": Hexadecimal.encode(made.certificate.record.serial), "evidence": made.evidence,
        ]))
  }

  /// - Throws: `.notPermitted` if the user has the maximum number of devices.
  func requireRoom(for user: UserName, in store: any StoreTransaction, now: Int64) throws {
    let most = services.limits.devicesPerUser
    guard try store.countDevices(of: user, now: now) < most else {
      throw Problem(
        .notPermitted,
        detail:
          "the user has \(most) devices, and may have no more: revoke one that is not used any more, on the device itself "
          + "or by the operator (latchkey-server device list, device revoke), then register again")
    }
  }

  /// The session, if a password opened it, so that it may register.
  func session(in store: any StoreTransaction, now: Int64) throws -> TokenRecord {
    guard let session = try store.token(hash: token.hash, now: now) else {
      throw Problem(.notAuthenticated, detail: "the session has ended; log in again")
    }
    guard session.device == nil else {
      throw Problem(.notPermitted, detail: "only a session that a password opened registers a device")
    }
    return session
  }

  private static let used = Problem(
    .notPermitted, detail: "this session has registered a device; log in again for another")
}

/// A repeatable registration: the caller's key, and the digest of its request.
private struct StoredRequest: Sendable {
  let key: IdempotencyKey
  let digest: RequestDigest

  /// The stored response to it.
  ///
  /// - Throws: `.idempotencyMismatch`.
  func answer(
    to user: UserName, in store: any StoreTransaction, now: Int64
  ) throws -> RegistrationCeremony.Answer? {
    guard let answer = try store.answer(to: key.text, scope: AnswerScope.registrations(of: user)) else { return nil }
    guard answer.digest == digest, answer.expires > now else {
      throw Problem(
        .idempotencyMismatch,
        detail: "this Idempotency-Key came with another registration, or long ago; use a fresh one")
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

extension Services {
  /// Creates the response about a device's certificate.
  func enrolled(
    _ device: Identifier, user: UserName, _ certificate: IssuedCertificate, pkcs12: [UInt8]? = nil
  ) -> EnrolledDevice {
    EnrolledDevice(
      device: device.description, user: user.text,
      certificates: ([certificate.der] + configuration.authority.chain).map(Base64Bytes.init),
      notAfter: certificate.record.notAfter, serverKey: Base64Bytes(configuration.answerKey.publicKey),
      serverKeyID: answerKeyID, pkcs12: pkcs12.map(Base64Bytes.init))
  }
}
