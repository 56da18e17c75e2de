public import LatchkeyEnrollmentProtocol

/// Which users a list has.
public struct UserFilter: Sendable, Hashable {
  /// A user's state.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// Neither disabled nor locked.
    case active
    /// Disabled by an operator.
    case disabled
    /// Locked after wrong passwords, for a while.
    case locked

    /// A user's state at a time, seconds since 1970.
    public init(of user: UserRecord, now: Int64) {
      self = user.disabled != nil ? .disabled : user.lockedUntil ?? 0 > now ? .locked : .active
    }
  }

  /// The names' first characters; empty for all.
  public var prefix: String
  /// The state; nil for any.
  public var state: State?

  /// A filter; without arguments all users.
  public init(prefix: String = "", state: State? = nil) { (self.prefix, self.state) = (prefix, state) }
}

/// Which devices a list has.
public struct DeviceFilter: Sendable, Hashable {
  /// The owner; nil for any.
  public var user: UserName?
  /// The names' first characters; empty for all.
  public var prefix: String
  /// Whether they are revoked; nil for both.
  public var isRevoked: Bool?

  /// A filter; without arguments all devices.
  public init(user: UserName? = nil, prefix: String = "", isRevoked: Bool? = nil) {
    self.user = user
    self.prefix = prefix
    self.isRevoked = isRevoked
  }
}

/// Which certificates a list has.
public struct CertificateFilter: Sendable, Hashable {
  /// A certificate's state.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// Neither revoked nor expired.
    case valid
    /// Revoked.
    case revoked
    /// Expired, and not revoked before.
    case expired

    /// A certificate's state at a time, seconds since 1970.
    public init(of certificate: CertificateRecord, now: Int64) {
      self = certificate.revoked != nil ? .revoked : certificate.notAfter > now ? .valid : .expired
    }
  }

  /// The device; nil for any.
  public var device: Identifier?
  /// The state; nil for any.
  public var state: State?

  /// A filter; without arguments all certificates.
  public init(device: Identifier? = nil, state: State? = nil) { (self.device, self.state) = (device, state) }
}
