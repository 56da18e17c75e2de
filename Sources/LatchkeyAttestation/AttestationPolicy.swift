/// The minimum protection that a verifier accepts.
public struct AttestationPolicy: Hashable, Sendable {
  /// The minimum level of a key.
  public var minimumLevel: Attestation.Level
  /// Whether the hardware must enforce the key's authorization.
  public var requiresAuthorizationEnforcedByHardware: Bool
  /// Whether the hardware must enforce physical presence.
  public var requiresPresenceEnforcedByHardware: Bool

  /// Creates a policy. The default accepts keys in a TPM, with or without enforced authorization.
  public init(
    minimumLevel: Attestation.Level = .tpm, requiresAuthorizationEnforcedByHardware: Bool = false,
    requiresPresenceEnforcedByHardware: Bool = false
  ) {
    self.minimumLevel = minimumLevel
    self.requiresAuthorizationEnforcedByHardware = requiresAuthorizationEnforcedByHardware
    self.requiresPresenceEnforcedByHardware = requiresPresenceEnforcedByHardware
  }
}
