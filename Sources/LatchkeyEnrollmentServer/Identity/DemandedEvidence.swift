internal import LatchkeyAttestation

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
}
