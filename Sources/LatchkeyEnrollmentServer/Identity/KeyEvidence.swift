internal import LatchkeyAttestation
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import Logging

/// Verifies where a device's key lives, by its attestation, and decides the evidence to record.
struct KeyEvidence: Sendable {
  let services: Services

  /// - Parameter guardsItself: whether a TPM must enforce the key's authorization for its statement to count in full.
  /// - Returns: `tpm`, `tpm-unguarded` if the TPM need not enforce it, `latchkey-software`, or `tpm-unverified`: a TPM's
  ///   statement without a known authority behind it. The latter is accepted wherever the policy accepts software, so that a
  ///   device with a TPM is not worse off.
  /// - Throws: `.invalidAttestation`.
  func validate(
    _ attestation: [UInt8], of key: [UInt8], challenge: [UInt8], policy: AttestationPolicy, guardsItself: Bool = false
  ) throws(Problem) -> String {
    do throws(AttestationError) {
      let verified = try verify(attestation, challenge: challenge, policy: policy)
      guard verified.publicKey == key else { throw AttestationError.wrongName }
      return switch verified.level {
      case .software: "latchkey-software"
      case .tpm: guardsItself && !verified.isAuthorizationEnforcedByHardware ? "tpm-unguarded" : "tpm"
      }
    } catch {
      if policy == Self.anything, error == .nothingTrusted || error == .untrusted { return "tpm-unverified" }
      throw refusal(error)
    }
  }

  /// Verifies an attestation that says itself which key it is of.
  ///
  /// - Returns: the key, with the evidence `tpm` or `latchkey-software`.
  /// - Throws: `.invalidAttestation`, also for one that nothing trusted vouches for.
  func attested(_ attestation: [UInt8], challenge: [UInt8], profile: DeviceProfile) throws(Problem) -> AttestedKey {
    let policy = profile.identityAttestationPolicy(services.policy) ?? Self.anything
    do throws(AttestationError) {
      let verified = try verify(attestation, challenge: challenge, policy: policy)
      return AttestedKey(
        point: verified.publicKey, evidence: verified.level == .tpm ? "tpm" : "latchkey-software")
    } catch {
      throw refusal(error)
    }
  }

  private func verify(
    _ attestation: [UInt8], challenge: [UInt8], policy: AttestationPolicy
  ) throws(AttestationError) -> Attestation {
    try AttestationVerifier(trust: services.policy.attestationTrust, policy: policy)
      .verify(attestation, challenge: challenge, at: services.configuration.clock())
  }

  /// The reason is logged for the operator, but not returned: a caller must not learn from attempts.
  private func refusal(_ error: AttestationError) -> Problem {
    services.logger.info("an attestation was refused", metadata: ["reason": "\(error)"])
    return Problem(.invalidAttestation, detail: "the attestation was refused; the server's log says why")
  }

  /// The evidence of an identity key's attestation; `none` without one. If none is required, an attestation without proof does
  /// not lead to refusal.
  ///
  /// - Throws: `.invalidAttestation` if the policy requires one.
  func validate(
    _ registration: DeviceRegistration, of key: [UInt8], token: BearerToken, profile: DeviceProfile = .builtIn
  ) throws(Problem) -> String {
    let challenge = DeviceRegistration.challenge(
      tokenHash: token.hash, signingRequest: registration.signingRequest.bytes)
    guard let policy = profile.identityAttestationPolicy(services.policy) else {
      guard let attestation = registration.attestation else { return "none" }
      let evidence = Result { () throws(Problem) in
        try validate(attestation.bytes, of: key, challenge: challenge, policy: Self.anything)
      }
      return (try? evidence.get()) ?? "none"
    }
    guard let attestation = registration.attestation else {
      throw Problem(
        .invalidAttestation, detail: "this server takes devices whose identity key is attested: make it in a TPM")
    }
    return try validate(attestation.bytes, of: key, challenge: challenge, policy: policy)
  }

  /// Permits a key without an attestation: one that the server generates, or another one at a renewal.
  ///
  /// - Throws: `.invalidAttestation` if the policy requires one.
  func requireNone(_ profile: DeviceProfile = .builtIn) throws(Problem) {
    guard profile.identityAttestationPolicy(services.policy) != nil else { return }
    throw Problem(
      .invalidAttestation,
      detail: "this server takes devices whose identity key is attested: enroll with a key that is made in a TPM")
  }

  private static let anything = AttestationPolicy(minimumLevel: .software)
}

/// A key whose attestation was verified before the registration.
struct AttestedKey: Sendable {
  /// X9.63.
  let point: [UInt8]
  /// As in `DeviceRecord.identityEvidence`.
  let evidence: String
}
