internal import LatchkeyByteCoding
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Issues a new certificate to a device, over its current one, for the same key or a new one.
///
/// **The same key**: the old certificate is not revoked. It expires within a day, and until then it allows the request to be
/// repeated if the response was lost. Revoking at each renewal would add every device to the revocation list each day, and
/// invalidate every server's cache each time.
///
/// **A new key** ends the old one: all other certificates of the device are revoked in the same transaction (superseded), at
/// once. A thief of the old key cannot return with it. A certificate that ended so has one use left: if the response was lost,
/// it gets a certificate for the device's *current* key, which only that key's holder can request.
struct RenewalCeremony: Sendable {
  let services: Services

  /// The limit of a device's valid certificates: further renewals for the same key wait until some have expired.
  static let most = 16
  /// The limit of a device's unexpired certificates, including revoked ones: bounds how often a key changes. It is separate
  /// from ``most``, so that renewals cannot prevent a key change.
  static let mostWithRevoked = 64

  /// - Throws: ``Problem``; ``TryLater`` for a device that has too many certificates.
  func renew(_ request: RenewalRequest, over shown: AuthenticatedDevice) async throws -> EnrolledDevice {
    let publicKey = try CertificateIssuer.publicKey(of: request.signingRequest)
    let now = services.now
    // The authority's key may be slow and is shared, so a refusal must not cost a signature.
    let asked = try await services.store.read { try validate(shown, publicKey, in: $0, now: now) }
    let issued = try await services.issuer(of: asked.profile).issue(
      to: asked.device, profile: asked.profile, requested: asked.names, random: services.random(16), now: now)
    let ended = try await services.store.write { store in
      let renewal = try validate(shown, publicKey, in: store, now: now)
      let (device, isSameKey) = (renewal.device, renewal.isSameKey)
      guard renewal.profile == asked.profile, renewal.names == asked.names, device.hasNames(of: asked.device) else {
        throw Services.changedRules
      }
      if !isSameKey { try store.updateDevice(device) }
      try store.addCertificate(issued.record)
      var fields = [
        "device": device.id.description, "serial": Hexadecimal.encode(issued.record.serial),
        "key": isSameKey ? "same" : "new",
      ]
      if !isSameKey {
        let count = try store.revokeCertificates(
          of: device.id, except: issued.record.fingerprint, at: now, reason: KnownCertificate.superseded)
        fields["revoked"] = "\(count)"
      }
      try store.audit(AuditEntry(event: "certificate.renewed", time: now, fields: fields))
      return isSameKey ? [] : renewal.live.map(\.fingerprint)
    }
    if !ended.isEmpty { services.directory.forget(ended) }
    return services.enrolled(shown.id, user: shown.user, issued)
  }

  /// A renewal that the current state of the store permits.
  private struct ValidRenewal {
    /// The device with the key that it will have.
    let device: DeviceRecord
    let profile: DeviceProfile
    let isSameKey: Bool
    /// The names that it asked for when it was registered, as far as the profile permits them now.
    let names: [AlternativeName]
    /// The device's valid certificates.
    let live: [CertificateRecord]
  }

  private func validate(
    _ shown: AuthenticatedDevice, _ publicKey: [UInt8], in store: any StoreTransaction, now: Int64
  ) throws -> ValidRenewal {
    let (found, isSuperseded) = try Self.device(shown, publicKey, in: store, now: now)
    var device = found
    guard device.approvalKey != publicKey else {
      throw Problem(.invalidSigningRequest, detail: "the approval key is not for certificates; use another key")
    }
    let profile = try store.rules(ofProfile: device.profile)
    let isSameKey = device.identityKey == publicKey
    if isSameKey {
      try profile.require(identityEvidence: device.identityEvidence, services.policy)
    } else {
      // A key without evidence must not replace one that was attested.
      try KeyEvidence(services: services).requireNone(profile)
      try store.refuseRevoked(identityKey: publicKey, of: device.user)
      device.identityKey = publicKey
      device.identityEvidence = "none"
    }
    let others = try store.certificates(of: shown.id).filter { $0.notAfter > now }
    let live = others.filter { $0.revoked == nil }
    // The answer that is repeated was a certificate: one that was revoked since is not replaced.
    guard !isSuperseded || !live.isEmpty else {
      throw Problem(.revoked, detail: "the certificate for the device's current key was revoked; enroll again")
    }
    guard others.count < Self.mostWithRevoked, !isSameKey || live.count < Self.most else {
      let wait = (others.first?.notAfter ?? now) - now
      throw TryLater(.tooManyRequests, seconds: Int(min(wait, 3600)), detail: "this device has certificates enough")
    }
    return ValidRenewal(
      device: device, profile: profile, isSameKey: isSameKey, names: try store.requestedNames(of: device, profile),
      live: live)
  }

  /// The device, if the presented certificate is valid now, or was superseded by exactly the requested key.
  private static func device(
    _ shown: AuthenticatedDevice, _ publicKey: [UInt8], in store: any StoreTransaction, now: Int64
  ) throws -> (device: DeviceRecord, isSuperseded: Bool) {
    let known = try KnownCertificate(store.certificate(fingerprint: shown.fingerprint))
    let isSuperseded = known.superseded(at: now)?.identityKey == publicKey
    if !isSuperseded { _ = try known.device(at: now) }
    guard let device = try store.device(shown.id) else { throw Problem(.notAuthenticated) }
    return (device, isSuperseded)
  }
}
