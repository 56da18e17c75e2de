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
  /// Who vouches for the name so far: the enrollment token, if it prescribed it.
  public var nameApproval: NameApproval?
  /// The decision; nil while it is undecided.
  public var decision: Decision?

  /// The decision about a device, and who made it.
  public struct Decision: Sendable, Hashable {
    /// Who decides.
    public enum Maker: Sendable, Hashable, CustomStringConvertible {
      /// The operator.
      case `operator`
      /// Another device of the user. Its approval ends with it.
      case device(Identifier)

      /// `operator`, or the device's identifier.
      public var description: String {
        switch self {
        case .operator: "operator"
        case .device(let id): id.description
        }
      }
    }

    /// Whether the device was approved; otherwise it was rejected.
    public var isApproved: Bool
    /// Who decided.
    public var maker: Maker

    /// Creates a decision.
    public init(isApproved: Bool, by maker: Maker) {
      self.isApproved = isApproved
      self.maker = maker
    }
  }

  /// Creates an undecided registration.
  public init(
    id: Identifier, user: UserName, name: String, profile: String, identityKey: [UInt8], identityEvidence: String,
    request: String, digest: RequestDigest, created: Int64, expires: Int64, nameApproval: NameApproval? = nil
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
    self.nameApproval = nameApproval
  }
}
