internal import LatchkeyAttestation
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Registers the approval key: its attestation answers a challenge of this server, and states where the key lives. The proven
/// evidence is recorded with it; a software key proves nothing (`latchkey-software`), and is accepted unless the policy
/// requires more. A key whose own attestation says that it needs no user presence is refused under any policy.
///
/// A device has one approval key for life: otherwise an attacker who can use the identity key could replace the approval key by
/// one that needs no user presence. Registering the same key again succeeds; for another key, the device must enroll again.
struct ApprovalKeyCeremony: Sendable {
  let services: Services

  /// - Returns: the device's current status.
  /// - Throws: ``Problem``: `.invalidAttestation`, `.notPermitted`.
  func register(_ registration: ApprovalKeyRegistration, over shown: AuthenticatedDevice) async throws -> DeviceRecord {
    let now = services.now
    // The challenge is consumed first, whatever the result; verification must not run inside a transaction.
    let challenge = try await services.store.write { store -> ChallengeRecord? in
      guard let id = Identifier(registration.challengeID), let taken = try store.takeChallenge(id, now: now),
        taken.device == shown.id, taken.purpose == .attestation
      else { return nil }
      return taken
    }
    guard let challenge else {
      throw Problem(
        .invalidAttestation, detail: "the challenge was used, has expired or has another purpose; request a new one")
    }
    let key = registration.publicKey.bytes
    let evidence = try KeyEvidence(services: services).validate(
      registration.attestation.bytes, of: key, challenge: challenge.value, policy: services.policy.attestationPolicy,
      guardsItself: true)
    // A client gains nothing by this claim, so it is believed: such a key would approve without user presence.
    guard (try? AttestationVerifier.saysUnguarded(registration.attestation.bytes)) == false else {
      throw Problem(
        .invalidAttestation,
        detail:
          "the attestation says that this key needs no user presence, so it cannot approve; create a key that biometry or a "
          + "passcode guards")
    }
    let device = try await services.store.write { store in
      _ = try KnownCertificate(store.certificate(fingerprint: shown.fingerprint)).device(at: now)
      guard var device = try store.device(shown.id) else { throw Problem(.notAuthenticated) }
      guard device.identityKey != key else {
        throw Problem(
          .invalidAttestation,
          detail: "the identity key cannot approve; create a separate key that requires user presence")
      }
      guard device.approvalKey == nil || device.approvalKey == key else {
        throw Problem(
          .notPermitted,
          detail: "this device has another approval key; to change it, revoke the device and enroll it again")
      }
      if device.approvalKey == nil { device.approvalSince = now }
      device.approvalKey = key
      device.approvalEvidence = evidence
      try store.updateDevice(device)
      try store.audit(
        AuditEntry(
          event: "approval-key.registered", time: now,
          fields: ["device": device.id.description, "user": device.user.text, "evidence": evidence]))
      return device
    }
    services.directory.forget([shown.fingerprint])
    return device
  }
}
