/// What a verifier accepts.
public struct AttestationPolicy: Hashable, Sendable {
  /// Where a key must live at least.
  public var minimumLevel: Attestation.Level
  /// Whether the hardware must enforce the key's authorization.
  public var requiresPresenceEnforcedByHardware: Bool

  /// A policy; without parameters: keys in a TPM, with or without enforced authorization.
  public init(minimumLevel: Attestation.Level = .tpm, requiresPresenceEnforcedByHardware: Bool = false) {
    self.minimumLevel = minimumLevel
    self.requiresPresenceEnforcedByHardware = requiresPresenceEnforcedByHardware
  }
}
