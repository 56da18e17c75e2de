import Crypto
import LatchkeyEnclaveKeys

public import struct Foundation.Date

/// Verifies an enclave's statement about one of its keys, from another machine. It needs no TPM, no network and no user, and
/// never traps on hostile input. A call costs a few signature verifications.
public struct AttestationVerifier: Sendable {
  /// The trusted roots and pinned keys.
  public let trust: AttestationTrust
  /// The minimum protection to accept.
  public let policy: AttestationPolicy

  /// Creates a verifier.
  ///
  /// - Throws: `.nothingTrusted` if the policy requires a TPM and `trust` is empty.
  public init(trust: AttestationTrust, policy: AttestationPolicy = AttestationPolicy()) throws(AttestationError) {
    guard policy.minimumLevel < .tpm || !trust.isEmpty else { throw .nothingTrusted }
    self.trust = trust
    self.policy = policy
  }

  /// Verifies `object`, an attestation object in CBOR (WebAuthn level 2 6.5.4).
  ///
  /// - Parameters:
  ///   - object: the other machine's attestation object, at most 64 KiB.
  ///   - challenge: the challenge sent to the machine: random bytes, used for this one request.
  ///   - time: the time at which the certificates must be valid, usually now.
  /// - Returns: the verified contents.
  /// - Throws: the reason for refusing the statement.
  public func verify(
    _ object: [UInt8], challenge: [UInt8], at time: Date
  ) throws(AttestationError) -> Attestation {
    let digest = Array(SHA256.hash(data: challenge))
    let attestation =
      switch try Evidence(object) {
      case .tpm(let evidence): try evidence.verify(challengeDigest: digest, trust: trust, at: time)
      case .software(let evidence): try evidence.verify(challengeDigest: digest)
      case .apple(let evidence): try evidence.verify(challengeDigest: digest, trust: trust, at: time)
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

  /// Whether `object` states that its key needs no user presence. In software: neither biometry nor the passcode guards it. In
  /// a TPM: it is usable without a policy and wrong authorizations are not counted, as Latchkey generates unguarded keys.
  ///
  /// Verifies nothing: a statement against its own key needs no proof. For a statement in its favor, call
  /// ``verify(_:challenge:at:)``.
  ///
  /// - Throws: the reason that it cannot be parsed.
  public static func saysUnguarded(_ object: [UInt8]) throws(AttestationError) -> Bool {
    switch try Evidence(object) {
    case .tpm(let evidence): evidence.saysUnguarded
    case .software(let evidence): !evidence.statement.asksForUser
    case .apple: false
    }
  }

  /// The format that `object` states (`fmt`): `tpm`, `apple`, `latchkey-software` or another one. Verifies nothing.
  ///
  /// - Throws: the reason that it cannot be parsed.
  public static func format(of object: [UInt8]) throws(AttestationError) -> String {
    try reading { () throws(AttestationFormatError) in try AttestationObject(encoded: object) }.format
  }
}

/// A parsed, unverified attestation object.
private enum Evidence {
  case tpm(TPMEvidence)
  case software(SoftwareEvidence)
  case apple(AppleEvidence)

  init(_ encoded: [UInt8]) throws(AttestationError) {
    let object = try reading { () throws(AttestationFormatError) in try AttestationObject(encoded: encoded) }
    switch object.format {
    case TPMStatement.format:
      let statement = try reading { () throws(AttestationFormatError) in try TPMStatement(object.statement) }
      self = .tpm(try TPMEvidence(statement))
    case SoftwareStatement.format:
      let signed = try reading { () throws(AttestationFormatError) in try SignedSoftwareStatement(object.statement) }
      self = .software(try SoftwareEvidence(signed))
    case AppleStatement.format:
      let statement = try reading { () throws(AttestationFormatError) in try AppleStatement(object.statement) }
      self = .apple(AppleEvidence(statement: statement))
    default: throw .unknownFormat(object.format)
    }
  }
}

/// Runs `body` and maps its error to `.malformed`.
func reading<Value>(
  _ body: () throws(AttestationFormatError) -> Value
) throws(AttestationError) -> Value {
  do throws(AttestationFormatError) { return try body() } catch { throw .malformed(error.description) }
}
