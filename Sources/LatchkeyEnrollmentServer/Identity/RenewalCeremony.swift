internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// A new certificate for a device, over the one that it has, for the same key or a new one.
///
/// **The same key**: the old certificate is not revoked. It ends by itself within a day, and until then it is the way to ask again
/// where the answer was lost. Revoking at each renewal would let every list grow by every device each day, and make every server
/// forget what it knows of all devices each time.
///
/// **A new key** ends the old one: all other certificates of the device are revoked in the same transaction (superseded), without
/// a grace. Anyone who stole the old key cannot come back with it. One thing alone is left to a certificate that ended so: where the
/// answer was lost, it gets a certificate for the key that the device has *now*, which only its holder can ask for.
struct RenewalCeremony: Sendable {
  let services: Services

  /// Certificates of one device that count at a time: anyone who asks for more of the same key waits until some have ended.
  static let most = 16
  /// Certificates of one device that have not reached their end, revoked ones too: bounds how often a key changes. Another bound
  /// than ``most``, so that nobody keeps a device from changing its key by renewing it.
  static let mostWithRevoked = 64

  /// - Throws: ``Problem``; ``TryLater`` for a device that has too many.
  func renew(_ request: RenewalRequest, over shown: AuthenticatedDevice) async throws -> EnrolledDevice {
    let publicKey = try CertificateIssuer.publicKey(of: request.signingRequest)
    let now = services.now
    // The authority's key may be slow, and others wait for it: what is refused costs no signature.
    _ = try await services.store.read { try judge(shown, publicKey, in: $0, now: now) }
    let issued = try await services.issuer.issue(
      to: shown.id, user: shown.user, publicKey: publicKey, random: services.random(16), now: now)
    let ended = try await services.store.write { store in
      let judged = try judge(shown, publicKey, in: store, now: now)
      var device = judged.device
      let isSameKey = judged.isSameKey
      if !isSameKey {
        device.identityKey = publicKey
        device.identityEvidence = "none"
        try store.updateDevice(device)
      }
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
      return isSameKey ? [] : judged.live.map(\.fingerprint)
    }
    if !ended.isEmpty { services.directory.forget(ended) }
    return services.enrolled(shown.id, user: shown.user, issued)
  }

  /// A renewal that is permitted as the store is.
  private struct Judged {
    let device: DeviceRecord
    let isSameKey: Bool
    /// Certificates of the device that count.
    let live: [CertificateRecord]
  }

  private func judge(
    _ shown: AuthenticatedDevice, _ publicKey: [UInt8], in store: any StoreTransaction, now: Int64
  ) throws -> Judged {
    let device = try Self.device(shown, publicKey, in: store, now: now)
    guard device.approvalKey != publicKey else {
      throw Problem(.invalidSigningRequest, detail: "the approval key is not for certificates; use another key")
    }
    let isSameKey = device.identityKey == publicKey
    // A key that nobody vouches for must not come in the place of one that was attested.
    if !isSameKey { try KeyEvidence(services: services).requireNone() }
    let others = try store.certificates(of: shown.id).filter { $0.notAfter > now }
    let live = others.filter { $0.revoked == nil }
    guard others.count < Self.mostWithRevoked, !isSameKey || live.count < Self.most else {
      let wait = (others.first?.notAfter ?? now) - now
      throw TryLater(.tooManyRequests, seconds: Int(min(wait, 3600)), detail: "this device has certificates enough")
    }
    return Judged(device: device, isSameKey: isSameKey, live: live)
  }

  /// The device, if the certificate that was shown counts now, or was superseded by just the key that is asked for.
  private static func device(
    _ shown: AuthenticatedDevice, _ publicKey: [UInt8], in store: any StoreTransaction, now: Int64
  ) throws -> DeviceRecord {
    let known = try KnownCertificate(store.certificate(fingerprint: shown.fingerprint))
    let isOwnKey: Bool
    if let device = known.superseded(at: now) {
      isOwnKey = device.identityKey == publicKey
    } else {
      isOwnKey = false
    }
    if !isOwnKey { _ = try known.device(at: now) }
    guard let device = try store.device(shown.id) else { throw Problem(.notAuthenticated) }
    return device
  }
}
