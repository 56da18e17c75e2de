import Crypto
import EnclaveKeys

public import struct Foundation.Date

/// Verifies what the enclave of another machine states about one of its keys. It needs no TPM and no network, never traps on
/// what strangers send, and asks nobody: a call is a few signature verifications.
public struct AttestationVerifier: Sendable {
  /// Whose word counts.
  public let trust: AttestationTrust
  /// What is accepted.
  public let policy: AttestationPolicy

  /// A verifier.
  ///
  /// - Throws: `.nothingTrusted` if the policy wants a TPM and nothing is trusted to vouch for one.
  public init(trust: AttestationTrust, policy: AttestationPolicy = AttestationPolicy()) throws(AttestationError) {
    guard policy.minimumLevel < .tpm || !trust.isEmpty else { throw .nothingTrusted }
    self.trust = trust
    self.policy = policy
  }

  /// Verifies `object`, an attestation object in CBOR (WebAuthn level 2 6.5.4).
  ///
  /// - Parameters:
  ///   - object: what the other machine sent; more than 64 KiB are refused.
  ///   - challenge: what it was asked with: bytes drawn at random for this one question, and used up by it.
  ///   - time: when the certificates must be valid: now, usually.
  /// - Returns: what is proved.
  /// - Throws: why nothing is.
  public func verify(
    _ object: [UInt8], challenge: [UInt8], at time: Date
  ) throws(AttestationError) -> Attestation {
    let digest = Array(SHA256.hash(data: challenge))
    let object = try reading { () throws(AttestationFormatError) in try AttestationObject(encoded: object) }
    let attestation: Attestation
    switch object.format {
    case TPMStatement.format:
      let statement = try reading { () throws(AttestationFormatError) in try TPMStatement(object.statement) }
      attestation = try TPMEvidence(statement).verify(challengeDigest: digest, trust: trust, at: time)
    case SoftwareStatement.format:
      let signed = try reading { () throws(AttestationFormatError) in try SignedSoftwareStatement(object.statement) }
      attestation = try SoftwareEvidence(signed).verify(challengeDigest: digest)
    default: throw .unknownFormat(object.format)
    }
    guard attestation.level >= policy.minimumLevel else { throw .levelTooLow(attestation.level) }
    guard attestation.isAuthorizationEnforcedByHardware || !policy.requiresAuthorizationEnforcedByHardware else {
      throw .authorizationNotEnforced
    }
    guard attestation.isPresenceEnforcedByHardware || !policy.requiresPresenceEnforcedByHardware else {
      throw .presenceNotEnforced
    }
    return attestation
  }
}

/// What `body` reads; what is wrong with it is the sender's fault.
func reading<Value>(
  _ body: () throws(AttestationFormatError) -> Value
) throws(AttestationError) -> Value {
  do throws(AttestationFormatError) { return try body() } catch { throw .malformed(error.description) }
}
