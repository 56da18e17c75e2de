internal import Crypto
internal import LatchkeyByteCoding
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// A new certificate for a device whose certificate has ended, within the time that the policy grants. TLS refuses the ended certificate, so
/// the request comes without one: the identity key signs a challenge, which is of this device and this signing request, and is used up by
/// the attempt.
///
/// A late renewal reuses the key and never changes it. A device whose last certificate was revoked is refused.
struct ExpiredRenewalCeremony: Sendable {
  let services: Services

  /// The refusal of a server that grants no time, to devices of no profile.
  private static let notOffered = Problem(
    .notPermitted, detail: "this server renews no certificate after its end; enroll again")
  /// The refusal of all who prove no key, whether there is such a device or not.
  private static let noProof = Problem(
    .notAuthenticated, detail: "no renewal by this key; ask for a fresh challenge, or enroll again")

  /// - Throws: ``Problem``; ``TryLater`` for a device that has too many certificates.
  func renew(_ request: ExpiredRenewal) async throws -> EnrolledDevice {
    try await requireOffer()
    let publicKey = try CertificateIssuer.publicKey(of: request.signingRequest)
    let content = ApprovedDigest(Array(SHA256.hash(data: request.signingRequest.bytes)))
    let now = services.now
    // The proof first, and by itself: the challenge is used up even if the signature is wrong, and only a proof costs the authority's.
    let proved: DeviceRecord? = try await services.store.write { store in
      try self.proved(request, publicKey, content, in: store, now: now)
    }
    guard let proved else { throw Self.noProof }
    let asked = try await services.store.read { try validate(proved.id, publicKey, in: $0, now: now) }
    let issued = try await services.issuer(of: asked.profile).issue(
      to: asked.device, profile: asked.profile, requested: asked.names, random: services.random(16), now: now)
    try await services.store.write { store in
      // Once more: the operator may have revoked the device meanwhile, or changed its rules.
      let (device, profile, names) = try validate(proved.id, publicKey, in: store, now: now)
      guard profile == asked.profile, names == asked.names, device.hasNames(of: asked.device) else {
        throw Services.changedRules
      }
      try store.addCertificate(issued.record)
      try store.audit(
        AuditEntry(
          event: "certificate.renewed", time: now,
          fields: [
            "device": device.id.description, "serial": Hexadecimal.encode(issued.record.serial), "key": "same",
            "after": "expiry",
          ]))
    }
    return services.enrolled(proved.id, user: proved.user, issued)
  }

  /// Requires that there may be a device whose certificate is renewed after its end. Which device asks has no influence: a caller must not
  /// learn which devices there are, nor of which profile.
  ///
  /// - Throws: ``Problem``: `.notPermitted`.
  func requireOffer() async throws {
    if services.policy.renewalAfterExpiry > 0 { return }
    let profiles = try await services.store.read { try $0.profiles() }
    guard profiles.contains(where: { $0.renewalAfterExpiry ?? 0 > 0 }) else { throw Self.notOffered }
  }

  /// The device whose identity key has signed; nil for all others.
  private func proved(
    _ request: ExpiredRenewal, _ publicKey: [UInt8], _ content: ApprovedDigest, in store: any StoreTransaction,
    now: Int64
  ) throws -> DeviceRecord? {
    guard let id = Identifier(request.challengeID), let challenge = try store.takeChallenge(id, now: now),
      challenge.purpose == .renewal, challenge.content == content, challenge.device == Identifier(request.device)
    else { return nil }
    let isSigned = ApprovalVerifier.isSigned(
      request.signature.bytes, challenge: challenge, purpose: .renewal, content: content, publicKey: publicKey)
    // The signing request's key has signed; it is the device's, or nobody's.
    guard isSigned, let device = try store.device(challenge.device),
      constantTimeEquals(device.identityKey, publicKey)
    else { return nil }
    return device
  }

  /// The device, if the policy renews its certificate now.
  private func validate(
    _ id: Identifier, _ publicKey: [UInt8], in store: any StoreTransaction, now: Int64
  ) throws -> (device: DeviceRecord, profile: DeviceProfile, names: [AlternativeName]) {
    guard let device = try store.device(id), device.identityKey == publicKey else { throw Self.noProof }
    let certificates = try store.certificates(of: id)
    // Those that a change of the key ended are of another key.
    let last = certificates.last { $0.reason != KnownCertificate.superseded }
    guard device.revoked == nil, let last, last.revoked == nil else {
      throw Problem(.revoked, detail: "the certificate or its device was revoked; enroll again")
    }
    guard try store.user(named: device.user)?.disabled == nil else {
      throw KnownCertificate.ofDisabledUser
    }
    let profile = try store.rules(ofProfile: device.profile)
    try profile.require(identityEvidence: device.identityEvidence, services.policy)
    let granted = profile.renewalAfterExpiry ?? services.policy.renewalAfterExpiry
    guard granted > 0 else {
      throw Problem(
        .notPermitted,
        detail: "certificates of the profile \(profile.name) are not renewed after their end; enroll again")
    }
    let (grantedUntil, isTooLong) = last.notAfter.addingReportingOverflow(granted)
    guard isTooLong || now < grantedUntil else {
      throw Problem(.notPermitted, detail: "the certificate ended too long ago to be renewed; enroll again")
    }
    let live = certificates.filter { $0.notAfter > now && $0.revoked == nil }
    guard live.count < RenewalCeremony.most else {
      let wait = (live.first?.notAfter ?? now) - now
      throw TryLater(.tooManyRequests, seconds: Int(min(wait, 3600)), detail: "this device has certificates enough")
    }
    // A device whose certificates have ended left its place to others.
    if live.isEmpty, device.approvalKey == nil { try services.requireRoom(for: device.user, in: store, now: now) }
    return (device, profile, try store.requestedNames(of: device, profile))
  }
}

extension DeviceRecord {
  /// Whether a certificate for it holds the same names.
  func hasNames(of other: DeviceRecord) -> Bool {
    name.utf8.elementsEqual(other.name.utf8) && nameApproval == other.nameApproval
  }
}
