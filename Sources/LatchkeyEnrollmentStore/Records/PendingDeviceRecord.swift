public import LatchkeyEnrollmentProtocol

/// A device whose registration waits for an approval; it has no certificate.
public struct PendingDeviceRecord: Sendable, Hashable {
  /// The identifier that the device will have.
  public var id: Identifier
  /// The user's name.
  public var user: UserName
  /// The device's display name.
  public var name: String
  /// The name of its profile.
  public var profile: String
  /// X9.63 of the key for its certificate.
  public var identityKey: [UInt8]
  /// The proven evidence for that key, as in ``DeviceRecord/identityEvidence``.
  public var identityEvidence: String
  /// The Idempotency-Key of the registration.
  public var request: String
  /// What makes the registration the same registration.
  public var digest: RequestDigest
  /// When it was received.
  public var created: Int64
  /// When it ends: undecided, or approved and not completed by the device.
  public var expires: Int64
  /// Whether it was approved; nil while it is undecided.
  public var isApproved: Bool?

  /// Creates an undecided registration.
  public init(
    id: Identifier, user: UserName, name: String, profile: String, identityKey: [UInt8], identityEvidence: String,
    request: String, digest: RequestDigest, created: Int64, expires: Int64, isApproved: Bool? = nil
  ) {
    self.id = id
    self.user = user
    self.name = name
    self.profile = profile
    self.identityKey = identityKey
    self.identityEvidence = identityEvidence
    self.request = request
    self.digest = digest
    self.created = created
    self.expires = expires
    self.isApproved = isApproved
  }
}
