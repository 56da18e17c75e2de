public import LatchkeyEnrollmentProtocol

/// A user who may log in.
public struct UserRecord: Sendable, Hashable {
  /// The user's name; unique, 1 to 128 characters.
  public var name: UserName
  /// What the password is checked with: scrypt in PHC form. Nil: no login by password.
  public var passwordHash: String?
  /// Wrong passwords in a row.
  public var failures: Int
  /// Until when no password counts.
  public var lockedUntil: Int64?
  /// Since when the user is disabled: no login, and no device of theirs counts. Nil: enabled.
  public var disabled: Int64?

  /// A user.
  public init(
    name: UserName, passwordHash: String?, failures: Int = 0, lockedUntil: Int64? = nil, disabled: Int64? = nil
  ) {
    self.name = name
    self.passwordHash = passwordHash
    self.failures = failures
    self.lockedUntil = lockedUntil
    self.disabled = disabled
  }
}

extension StoreTransaction {
  /// The user with the name that was typed: the one who is called just so, byte by byte, else the one who is called so in another form
  /// of the same characters. Rows from before names had one form are found by what they were.
  public func user(entered typed: String) throws -> UserRecord? {
    // All are asked for, so that the time does not reveal which of them exists.
    try UserName.candidates(entered: typed).map { try user(named: $0) }.compactMap(\.self).first
  }
}
