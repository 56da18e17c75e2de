public import LatchkeyEnrollmentStore

/// A transfer to book: two entries whose sum is zero.
public struct Booking: Sendable, Hashable {
  /// Its name.
  public var id: Identifier
  /// The account that gives.
  public var from: String
  /// The account that gets.
  public var to: String
  /// Minor units, above zero.
  public var amount: Int64
  /// ISO 4217.
  public var currency: String
  /// A remark.
  public var notes: String
  /// When.
  public var booked: Int64
  /// The date that the transfer asked for: recorded beside the booking, which happens when it happens. Nil for none.
  public var valueDate: Int64?
  /// The device that asked; nil for the operator.
  public var device: Identifier?

  /// A booking.
  public init(
    id: Identifier, from: String, to: String, amount: Int64, currency: String, notes: String, booked: Int64,
    valueDate: Int64? = nil, device: Identifier?
  ) {
    self.id = id
    self.from = from
    self.to = to
    self.amount = amount
    self.currency = currency
    self.notes = notes
    self.booked = booked
    self.valueDate = valueDate
    self.device = device
  }
}

/// A transfer as the ledger has it.
public struct BookedTransfer: Sendable, Hashable {
  /// One side.
  public struct Entry: Sendable, Hashable {
    /// The account.
    public var account: String
    /// ISO 4217.
    public var currency: String
    /// Minor units: below zero where the account gives.
    public var amount: Int64
  }

  /// Its name.
  public var id: Identifier
  /// The device that asked; nil for the operator.
  public var device: Identifier?
  /// The date that it asked for; nil for none.
  public var valueDate: Int64?
  /// Its entries, the giving one first: two that add up to zero, unless another program wrote them.
  public var entries: [Entry]
}

/// How a booking ended.
public enum BookingResult: Sendable, Hashable {
  /// Booked; what the giving account has now.
  case booked(balance: Int64)
  /// The giving account has not so much.
  case insufficientFunds
  /// One of the accounts is not there, or has another currency, or both are one.
  case noSuchAccounts
}
