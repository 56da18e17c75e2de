public import LatchkeyEnrollmentProtocol

/// A device of a user.
public struct DeviceRecord: Sendable, Hashable {
  /// Its name in certificates and signatures.
  public var id: Identifier
  /// The user's name.
  public var user: UserName
  /// What people call it.
  public var name: String
  /// When it was registered.
  public var created: Int64
  /// When it was revoked: nothing of it counts any more.
  public var revoked: Int64?
  /// X9.63 of the key of its certificate.
  public var identityKey: [UInt8]
  /// X9.63 of the key that approves.
  public var approvalKey: [UInt8]?
  /// What vouches for it: `tpm`, `tpm-unguarded`, `tpm-unverified`, `latchkey-software`.
  public var approvalEvidence: String?
  /// When the approval key was registered; nil for one from before that was recorded.
  public var approvalSince: Int64?
  /// What vouched for the key of its certificate: `tpm`, `apple`, `tpm-unverified`, `latchkey-software`, `server-made`, `none`; nil for one
  /// from before that was recorded.
  public var identityEvidence: String?
  /// The name of its profile.
  public var profile: String
  /// Who vouches for its name; nil for a name that the device chose itself, which no certificate holds.
  public var nameApproval: NameApproval?
  /// Whether its user is disabled, so that nothing of it counts until the user is enabled. Read with the device, and not stored there.
  public var isUserDisabled = false

  /// A device.
  public init(
    id: Identifier, user: UserName, name: String, created: Int64, revoked: Int64? = nil, identityKey: [UInt8],
    approvalKey: [UInt8]? = nil, approvalEvidence: String? = nil, approvalSince: Int64? = nil,
    identityEvidence: String? = nil, profile: String = DeviceProfile.defaultName, nameApproval: NameApproval? = nil
  ) {
    self.id = id
    self.user = user
    self.name = name
    self.created = created
    self.revoked = revoked
    self.identityKey = identityKey
    self.approvalKey = approvalKey
    self.approvalEvidence = approvalEvidence
    self.approvalSince = approvalSince
    self.identityEvidence = identityEvidence
    self.profile = profile
    self.nameApproval = nameApproval
  }
}

/// Who vouches for a device's name, other than the device and its user, so that certificates may hold it.
public enum NameApproval: String, Sendable, Hashable, CaseIterable {
  /// The enrollment token prescribed it.
  case token
  /// The operator approved the device under it, or gave it to the device.
  case `operator`
}
