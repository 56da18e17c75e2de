internal import LatchkeyAttestation
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Registers the key that approves: its attestation answers a challenge of this server, and says where it lives. What that proves is
/// recorded with it; a key in software proves nothing (`latchkey-software`), and is taken unless the policy wants more. A key that says
/// of itself that it asks nobody is refused under any policy.
///
/// A device has one approval key for life: anyone who stole the identity's use could else put a key of its own in the place of the one
/// that asks the user. The same key again is fine; for another, the device enrolls anew.
struct ApprovalKeyCeremony: Sendable {
  let services: Services

  /// - Returns: the device as it is known now.
  /// - Throws: ``Problem``: `.invalidAttestation`, `.notPermitted`.
  func register(_ registration: ApprovalKeyRegistration, over shown: AuthenticatedDevice) async throws -> DeviceRecord {
    let now = services.now
    // Taken first, and kept taken whatever comes of it; the verification has no place inside a transaction.
    let challenge = try await services.store.write { store -> ChallengeRecord? in
      guard let id = Identifier(registration.challengeID), let taken = try store.takeChallenge(id, now: now),
        taken.device == shown.id, taken.purpose == .attestation
      else { return nil }
      return taken
    }
    guard let challenge else {
      throw Problem(.invalidAttestation, detail: "the challenge was used, has ended or is for something else; ask anew")
    }
    let key = registration.publicKey.bytes
    let evidence = try KeyEvidence(services: services).judge(
      registration.attestation.bytes, of: key, challenge: challenge.value, policy: services.policy.attestationPolicy,
      guardsItself: true)
    // A client gains nothing by this claim, so it is believed: such a key would approve without user presence.
    guard (try? AttestationVerifier.saysUnguarded(registration.attestation.bytes)) == false else {
      throw Problem(
        .invalidAttestation,
        detail:
          "by its own attestation this key asks nobody when it is used, so it cannot approve; make one that biometry or a "
          + "passcode guards")
    }
    let device = try await services.store.write { store in
      _ = try KnownCertificate(store.certificate(fingerprint: shown.fingerprint)).device(at: now)
      guard var device = try store.device(shown.id) else { throw Problem(.notAuthenticated) }
      guard device.identityKey != key else {
        throw Problem(.invalidAttestation, detail: "the identity key cannot approve; make a key that asks the user")
      }
      guard device.approvalKey == nil || device.approvalKey == key else {
        throw Problem(
          .notPermitted,
          detail: "this device has another approval key; revoke the device, and enroll it anew, to change it")
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
