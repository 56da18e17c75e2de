public import LatchkeyEnrollmentProtocol

/// An account of the ledger.
public struct AccountRecord: Sendable, Hashable {
  /// 12 digits.
  public var number: String
  /// Whose it is; empty for the house's own.
  public var user: UserName
  /// What people call it.
  public var name: String
  /// ISO 4217.
  public var currency: String
  /// Minor units. Always the sum of the account's entries.
  public var balance: Int64
  /// How far below zero the balance may go; minor units, zero or above. The house's own account has all there is.
  public var overdraft: Int64

  /// An account.
  public init(number: String, user: UserName, name: String, currency: String, balance: Int64, overdraft: Int64 = 0) {
    self.number = number
    self.user = user
    self.name = name
    self.currency = currency
    self.balance = balance
    self.overdraft = overdraft
  }
}

/// What an account has given within some hours, minor units.
public struct Spending: Sendable, Hashable {
  /// With the approval key's word.
  public var approved: Int64
  /// Without.
  public var unapproved: Int64

  /// These amounts.
  public init(approved: Int64, unapproved: Int64) {
    self.approved = approved
    self.unapproved = unapproved
  }
}
