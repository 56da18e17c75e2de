/// What an administrator may do; each role may do all that those before it may.
public enum AdministratorRole: String, Sendable, Hashable, CaseIterable, Comparable {
  /// Lists, searches and reads.
  case viewer
  /// Disables, unlocks and revokes.
  case `operator`
  /// Adds users, changes passwords, and appoints administrators.
  case owner

  /// By what they may do.
  public static func < (a: AdministratorRole, b: AdministratorRole) -> Bool { a.rank < b.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Who may use the admin listener.
public struct AdministratorRecord: Sendable, Hashable {
  /// The name, unique: it stands in the audit log.
  public var name: String
  /// What the administrator may do.
  public var role: AdministratorRole
  /// When it was added, seconds since 1970.
  public var created: Int64
  /// SHA-256 of the token; nil for one who shows a certificate.
  public var tokenHash: [UInt8]?
  /// The client certificate that proves the administrator; nil for one with a token.
  public var fingerprint: Fingerprint?

  /// An administrator.
  public init(
    name: String, role: AdministratorRole, created: Int64, tokenHash: [UInt8]? = nil, fingerprint: Fingerprint? = nil
  ) {
    self.name = name
    self.role = role
    self.created = created
    self.tokenHash = tokenHash
    self.fingerprint = fingerprint
  }
}
