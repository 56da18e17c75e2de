/// What a verifier accepts.
public struct AttestationPolicy: Hashable, Sendable {
  /// Where a key must live at least.
  public var minimumLevel: Attestation.Level
  /// Whether the hardware must enforce the key's authorization.
  public var requiresAuthorizationEnforcedByHardware: Bool
  /// Whether the hardware must enforce somebody's physical presence.
  public var requiresPresenceEnforcedByHardware: Bool

  /// A policy; without parameters: keys in a TPM, with or without enforced authorization.
  public init(
    minimumLevel: Attestation.Level = .tpm, requiresAuthorizationEnforcedByHardware: Bool = false,
    requiresPresenceEnforcedByHardware: Bool = false
  ) {
    self.minimumLevel = minimumLevel
    self.requiresAuthorizationEnforcedByHardware = requiresAuthorizationEnforcedByHardware
    self.requiresPresenceEnforcedByHardware = requiresPresenceEnforcedByHardware
  }
}
