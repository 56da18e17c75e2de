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
      // Devices that send it enroll by ACME, whose challenge it answers.
      guard try AttestationVerifier.format(of: attestation) != Self.apple else { throw .unknownFormat(Self.apple) }
      let verified = try verify(attestation, challenge: challenge, policy: policy)
      guard verified.publicKey == key else { throw AttestationError.wrongName }
      return switch verified.level {
      case .software: "latchkey-software"
      case .secureEnclave: Self.apple
      case .tpm: guardsItself && !verified.isAuthorizationEnforcedByHardware ? "tpm-unguarded" : "tpm"
      }
    } catch {
      if policy == Self.anything, error == .nothingTrusted || error == .untrusted { return "tpm-unverified" }
      throw refusal(error)
    }
  }

  /// Verifies an attestation that says itself which key it is of, and answers the challenge device-attest-01.
  ///
  /// - Parameters:
  ///   - authorization: the key authorization (RFC 8555 8.1), the challenge of all formats but `apple`.
  ///   - token: the challenge's token, of which Apple's devices send the digest.
  ///   - deviceName: the name that the enrollment token prescribes: that of an Apple device is its serial number or unique identifier.
  /// - Returns: the key, with the evidence `tpm`, `apple` or `latchkey-software`.
  /// - Throws: `.invalidAttestation`, also for one that nothing trusted vouches for.
  func attested(
    _ attestation: [UInt8], authorization: String, token: String, deviceName: String?, profile: DeviceProfile
  ) throws(Problem) -> AttestedKey {
    let policy = profile.identityAttestationPolicy(services.policy) ?? Self.anything
    let attested: AttestedKey
    do throws(AttestationError) {
      let isApple = try AttestationVerifier.format(of: attestation) == Self.apple
      let verified = try verify(attestation, challenge: Array((isApple ? token : authorization).utf8), policy: policy)
      // The level alone would take an Apple device where a TPM is required.
      guard profile.attestation != .tpm || verified.level == .tpm else { throw .levelTooLow(verified.level) }
      let evidence =
        switch verified.level {
        case .software: "latchkey-software"
        case .tpm: "tpm"
        case .secureEnclave: Self.apple
        }
      attested = AttestedKey(
        point: verified.publicKey, evidence: evidence, identifiers: verified.appleDevice?.identifiers ?? [])
    } catch {
      throw refusal(error)
    }
    let isNamed = attested.identifiers.contains { $0.utf8.elementsEqual((deviceName ?? "").utf8) }
    guard attested.evidence != Self.apple || deviceName == nil || isNamed else {
      throw refusal("the enrollment token is for a device of another name than its serial number and identifier")
    }
    return attested
  }

  /// The format, and the evidence.
  private static let apple = "apple"

  private func verify(
    _ attestation: [UInt8], challenge: [UInt8], policy: AttestationPolicy
  ) throws(AttestationError) -> Attestation {
    try AttestationVerifier(trust: services.policy.attestationTrust, policy: policy)
      .verify(attestation, challenge: challenge, at: services.configuration.clock())
  }

  /// The reason is logged for the operator, but not returned: a caller must not learn from attempts.
  private func refusal(_ reason: some CustomStringConvertible) -> Problem {
    services.logger.info("an attestation was refused", metadata: ["reason": "\(reason)"])
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
  /// What names the device: the serial number and the unique identifier of an Apple device.
  var identifiers: [String] = []
}
