internal import LatchkeyAttestation
internal import LatchkeyEnrollmentStore

/// The evidence that the policy requires of a device's keys. It was recorded when they were registered, perhaps under another
/// policy.
extension ServerPolicy {
  /// Whether the evidence for a certificate's key suffices.
  func takes(identityEvidence: String?) -> Bool {
    switch identityAttestationPolicy?.minimumLevel {
    case nil, .software: true
    // In the order of levels a Secure Enclave is beyond a TPM.
    case .tpm: identityEvidence == "tpm" || identityEvidence == "apple"
    case .secureEnclave: identityEvidence == "apple"
    }
  }

  /// Whether the evidence for an approval key suffices.
  func takes(approvalEvidence: String?) -> Bool {
    guard attestationPolicy.minimumLevel != .software else { return true }
    return approvalEvidence == "tpm"
      || approvalEvidence == "tpm-unguarded" && !attestationPolicy.requiresAuthorizationEnforcedByHardware
  }

  /// Whether the time has passed for which a new approval key does not count.
  func isOldEnough(approvalKeyOf device: DeviceRecord, now: Int64) -> Bool {
    now >= (device.approvalSince ?? .min) &+ approvalCoolDown
  }
}
