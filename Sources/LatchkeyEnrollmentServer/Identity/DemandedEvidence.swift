internal import LatchkeyAttestation

/// What a device's keys must have proved for the device to count. It was recorded when they came, perhaps under another policy.
extension ServerPolicy {
  /// Whether a certificate's key counts.
  func takes(identityEvidence: String?) -> Bool {
    identityAttestationPolicy?.minimumLevel != .tpm || identityEvidence == "tpm"
  }

  /// Whether an approval key counts.
  func takes(approvalEvidence: String?) -> Bool {
    guard attestationPolicy.minimumLevel == .tpm else { return true }
    return approvalEvidence == "tpm"
      || approvalEvidence == "tpm-unguarded" && !attestationPolicy.requiresAuthorizationEnforcedByHardware
  }
}
