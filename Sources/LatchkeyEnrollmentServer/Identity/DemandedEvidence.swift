internal import LatchkeyAttestation
internal import LatchkeyEnrollmentStore

/// The evidence that the policy requires of a device's keys. It was recorded when they were registered, perhaps under another
/// policy.
extension ServerPolicy {
  /// Whether the evidence for a certificate's key suffices.
  func takes(identityEvidence: String?) -> Bool {
    identityAttestationPolicy?.minimumLevel != .tpm || identityEvidence == "tpm"
  }

  /// Whether the evidence for an approval key suffices.
  func takes(approvalEvidence: String?) -> Bool {
    guard attestationPolicy.minimumLevel == .tpm else { return true }
    return approvalEvidence == "tpm"
      || approvalEvidence == "tpm-unguarded" && !attestationPolicy.requiresAuthorizationEnforcedByHardware
  }

  /// Whether the time has passed for which a new approval key does not count.
  func isOldEnough(approvalKeyOf device: DeviceRecord, now: Int64) -> Bool {
    now >= (device.approvalSince ?? .min) &+ approvalCoolDown
  }
}
