internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// A login by certificate only: the handshake proves possession of the key, the transaction verifies that the certificate is
/// still valid.
struct CertificateLoginCeremony: Sendable {
  let services: Services

  /// - Returns: a session that is valid only over this device's certificate.
  /// - Throws: ``Problem``.
  func login(_ device: AuthenticatedDevice) async throws -> SessionToken {
    let now = services.now
    let session = SessionToken(
      user: device.user, device: device.id, random: services.random(32), now: now, policy: services.policy)
    try await services.store.write { store in
      _ = try KnownCertificate(store.certificate(fingerprint: device.fingerprint)).device(at: now)
      try store.addToken(session.record)
      try store.audit(
        AuditEntry(
          event: "login.certificate", time: now, fields: ["user": device.user.text, "device": device.id.description]))
    }
    return session
  }
}
