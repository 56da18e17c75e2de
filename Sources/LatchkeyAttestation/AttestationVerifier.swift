import Crypto
import LatchkeyEnclaveKeys

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
    let attestation =
      switch try Evidence(object) {
      case .tpm(let evidence): try evidence.verify(challengeDigest: digest, trust: trust, at: time)
      case .software(let evidence): try evidence.verify(challengeDigest: digest)
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

  /// Whether `object` claims that its key needs no user presence: in software, that neither biometry nor the passcode
  /// guards it; in a TPM, that it can be used without a policy, and that wrong authorizations are not counted, as Latchkey makes
  /// keys that nothing guards.
  ///
  /// Nothing is verified: a statement against its own key needs no proof, and one for it is none. That is ``verify(_:challenge:at:)``'s.
  ///
  /// - Throws: why it cannot be read.
  public static func saysUnguarded(_ object: [UInt8]) throws(AttestationError) -> Bool {
    switch try Evidence(object) {
    case .tpm(let evidence): evidence.saysUnguarded
    case .software(let evidence): !evidence.statement.asksForUser
    }
  }
}

/// What stands in an attestation object, read and not yet judged.
private enum Evidence {
  case tpm(TPMEvidence)
  case software(SoftwareEvidence)

  init(_ encoded: [UInt8]) throws(AttestationError) {
    let object = try reading { () throws(AttestationFormatError) in try AttestationObject(encoded: encoded) }
    switch object.format {
    case TPMStatement.format:
      let statement = try reading { () throws(AttestationFormatError) in try TPMStatement(object.statement) }
      self = .tpm(try TPMEvidence(statement))
    case SoftwareStatement.format:
      let signed = try reading { () throws(AttestationFormatError) in try SignedSoftwareStatement(object.statement) }
      self = .software(try SoftwareEvidence(signed))
    default: throw .unknownFormat(object.format)
    }
  }
}

/// What `body` reads; what is wrong with it is the sender's fault.
func reading<Value>(
  _ body: () throws(AttestationFormatError) -> Value
) throws(AttestationError) -> Value {
  do throws(AttestationFormatError) { return try body() } catch { throw .malformed(error.description) }
}
