internal import ByteCoding
internal import EnrollmentProtocol
internal import EnrollmentStore

/// A new certificate for a device, over the one that it has, for the same key or a new one.
///
/// The old certificate is not revoked: it ends by itself within a day, and until then it is the way to ask again where the answer was
/// lost. Revoking at each renewal would let every list grow by every device each day, and make every server forget what it
/// knows of all devices each time. A new key counts for signatures from now on, the old one no more.
struct RenewalCeremony: Sendable {
  let services: Services

  /// Certificates of one device that count at a time: whoever asks for more waits until some have ended.
  static let most = 16

  /// - Throws: ``Problem``; ``TryLater`` for a device that has too many.
  func renew(_ request: RenewalRequest, over shown: AuthenticatedDevice) async throws -> EnrolledDevice {
    let publicKey = try CertificateIssuer.publicKey(of: request.signingRequest)
    let now = services.now
    let issued = try await services.issuer.issue(
      to: shown.id, user: shown.user, publicKey: publicKey, random: services.random(16), now: now)
    let others = try await services.store.write { store in
      _ = try KnownCertificate(store.certificate(fingerprint: shown.fingerprint)).device(at: now)
      guard var device = try store.device(shown.id) else { throw Problem(.notAuthenticated) }
      guard device.approvalKey != publicKey else {
        throw Problem(.invalidSigningRequest, detail: "the approval key is not for certificates; use another key")
      }
      let others = try store.certificates(of: shown.id).filter { $0.notAfter > now && $0.revoked == nil }
      guard others.count < Self.most else {
        let wait = (others.first?.notAfter ?? now) - now
        throw TryLater(.tooManyRequests, seconds: Int(min(wait, 3600)), detail: "this device has certificates enough")
      }
      let isSameKey = device.identityKey == publicKey
      if !isSameKey {
        device.identityKey = publicKey
        try store.updateDevice(device)
      }
      try store.addCertificate(issued.record)
      try store.audit(
        AuditEntry(
          event: "certificate.renewed", time: now,
          fields: [
            "device": device.id.description, "serial": Hexadecimal.encode(issued.record.serial),
            "key": isSameKey ? "same" : "new",
          ]))
      return isSameKey ? [] : others.map(\.fingerprint)
    }
    if !others.isEmpty { services.directory.forget(others) }
    return services.enrolled(shown.id, user: shown.user, issued)
  }
}
