public import LatchkeyEnrollmentProtocol

/// A one-time enrollment token that the operator created; the token itself is not stored.
public struct EnrollmentTokenRecord: Sendable, Hashable {
  /// The use of a token: the registration that used it.
  public struct Use: Sendable, Hashable {
    /// When it was used.
    public var time: Int64
    /// The Idempotency-Key of the registration, which may be repeated.
    public var request: String
    /// The device that was registered, or waits for an approval.
    public var device: Identifier

    /// Creates a use.
    public init(time: Int64, request: String, device: Identifier) {
      self.time = time
      self.request = request
      self.device = device
    }
  }

  /// Names the token in lists and in the audit log; no secret.
  public var id: Identifier
  /// SHA-256 of the token.
  public var hash: [UInt8]
  /// The user whose device it registers.
  public var user: UserName
  /// The only name that the device may have; nil for any.
  public var deviceName: String?
  /// The name of the device's profile.
  public var profile: String
  /// When it was created.
  public var created: Int64
  /// Its end, if it is not used before.
  public var expires: Int64
  /// When it was revoked.
  public var revoked: Int64?
  /// Its use; nil while it is unused.
  public var use: Use?

  /// Creates an unused token.
  public init(
    id: Identifier, hash: [UInt8], user: UserName, deviceName: String?, profile: String, created: Int64, expires: Int64
  ) {
    self.id = id
    self.hash = hash
    self.user = user
    self.deviceName = deviceName
    self.profile = profile
    self.created = created
    self.expires = expires
  }

  /// Whether a registration can use it at `now`.
  public func isUsable(at now: Int64) -> Bool { use == nil && revoked == nil && expires > now }
}
