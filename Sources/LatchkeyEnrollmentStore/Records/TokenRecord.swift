public import LatchkeyEnrollmentProtocol

/// A session's token; the token itself is not stored.
public struct TokenRecord: Sendable, Hashable {
  /// SHA-256 of the token.
  public var hash: [UInt8]
  /// The user's name.
  public var user: UserName
  /// The device that the token counts for, over its certificate alone; nil after a login by password without one.
  public var device: Identifier?
  /// Its end.
  public var expires: Int64
  /// Whether a device was registered with it: once each.
  public var hasRegistered: Bool

  /// A token.
  public init(hash: [UInt8], user: UserName, device: Identifier?, expires: Int64, hasRegistered: Bool = false) {
    self.hash = hash
    self.user = user
    self.device = device
    self.expires = expires
    self.hasRegistered = hasRegistered
  }
}
