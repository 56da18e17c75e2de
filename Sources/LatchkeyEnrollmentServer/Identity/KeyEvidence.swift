internal import LatchkeyAttestation
internal import LatchkeyEnrollmentProtocol
internal import Logging

/// Judges where a device's key lives, by its attestation, and says what is recorded of it.
struct KeyEvidence: Sendable {
  let services: Services

  /// - Parameter guardsItself: whether a TPM must ask for the key's authorization, for its word to count in full.
  /// - Returns: `tpm`, `tpm-unguarded` where it need not ask, `latchkey-software`, or `tpm-unverified`: a TPM's statement for which nobody vouches whom this server
  ///   knows. That is taken as software is, where the policy takes software: who has a TPM is not worse off.
  /// - Throws: `.invalidAttestation`.
  func judge(
    _ attestation: [UInt8], of key: [UInt8], challenge: [UInt8], policy: AttestationPolicy, guardsItself: Bool = false
  ) throws(Problem) -> String {
    do throws(AttestationError) {
      let verifier = try AttestationVerifier(trust: services.policy.attestationTrust, policy: policy)
      let verified = try verifier.verify(attestation, challenge: challenge, at: services.configuration.clock())
      guard verified.publicKey == key else { throw AttestationError.wrongName }
      return switch verified.level {
      case .software: "latchkey-software"
      case .tpm: guardsItself && !verified.isAuthorizationEnforcedByHardware ? "tpm-unguarded" : "tpm"
      }
    } catch {
      if policy == Self.anything, error == .nothingTrusted || error == .untrusted { return "tpm-unverified" }
      // Who tries statements until one is taken learns nothing from it; who runs the server does.
      services.logger.info("an attestation was refused", metadata: ["reason": "\(error)"])
      throw Problem(.invalidAttestation, detail: "the attestation was refused; the server's log says why")
    }
  }

  /// What an identity key's attestation proves; `none` without one. Where nothing is required, one that proves nothing is no
  /// reason to refuse the device.
  ///
  /// - Throws: `.invalidAttestation` where the policy wants one.
  func judge(
    _ registration: DeviceRegistration, of key: [UInt8], token: BearerToken
  ) throws(Problem) -> String {
    let challenge = DeviceRegistration.challenge(
      tokenHash: token.hash, signingRequest: registration.signingRequest.bytes)
    guard let policy = services.policy.identityAttestationPolicy else {
      guard let attestation = registration.attestation else { return "none" }
      let evidence = Result { () throws(Problem) in
        try judge(attestation.bytes, of: key, challenge: challenge, policy: Self.anything)
      }
      return (try? evidence.get()) ?? "none"
    }
    guard let attestation = registration.attestation else {
      throw Problem(
        .invalidAttestation, detail: "this server takes devices whose identity key is attested: make it in a TPM")
    }
    return try judge(attestation.bytes, of: key, challenge: challenge, policy: policy)
  }

  /// Where a device brings a key without an attestation: a key that the server makes, or another one at a renewal.
  ///
  /// - Throws: `.invalidAttestation` where the policy wants one.
  func requireNone() throws(Problem) {
    guard services.policy.identityAttestationPolicy != nil else { return }
    throw Problem(
      .invalidAttestation,
      detail: "this server takes devices whose identity key is attested: enroll with a key that is made in a TPM")
  }

  private static let anything = AttestationPolicy(minimumLevel: .software)
}
