internal import Crypto
internal import Foundation

/// An account: an entry of the answer of ``Routes/accounts``.
public struct AccountSummary: Codable, Sendable, Hashable {
  /// The account number, 12 digits.
  public var number: String
  /// The display name.
  public var name: String
  /// ISO 4217, three letters.
  public var currency: String
  /// The balance.
  public var balance: Amount

  /// Creates an account.
  public init(number: String, name: String, currency: String, balance: Amount) {
    self.number = number
    self.name = name
    self.currency = currency
    self.balance = balance
  }
}

/// The answer of ``Routes/accounts``.
public struct AccountList: Codable, Sendable, Hashable {
  /// The user's accounts, by number.
  public var accounts: [AccountSummary]

  /// Creates a list.
  public init(accounts: [AccountSummary]) { self.accounts = accounts }
}

/// A transfer: the body of ``Routes/transfers``. Only the date is optional: a request without another member is refused.
public struct Transfer: Codable, Sendable, Hashable {
  /// The paying account.
  public var from: String
  /// The receiving account.
  public var to: String
  /// The amount, above zero.
  public var amount: Amount
  /// The currency of both accounts, ISO 4217, three letters.
  public var currency: String
  /// A remark, at most 140 characters.
  public var notes: String
  /// The transfer date, seconds since 1970. It is only recorded: the booking is immediate for any date. Nil for none; the
  /// message then omits the member, as before dates existed.
  public var date: Int64?

  /// The valid dates of a transfer: the years 1970 to 9999.
  public static let dates: ClosedRange<Int64> = 0...253_402_300_799

  /// Creates a transfer.
  public init(from: String, to: String, amount: Amount, currency: String, notes: String = "", date: Int64? = nil) {
    self.from = from
    self.to = to
    self.amount = amount
    self.currency = currency
    self.notes = notes
    self.date = date
  }

  /// SHA-256 of the canonical transfer, which an approval is bound to: a fixed text, then each field in order as its length in
  /// decimal, a colon and its UTF-8, so that no two transfers have the same form. A transfer with a date has the fixed text
  /// `v2`, and the date in decimal as its last field; one without has the form of `v1`.
  public var digest: [UInt8] {
    var canonical = Array("latchkey-transfer-\(date == nil ? "v1" : "v2")\n".utf8)
    for field in [from, to, amount.description, currency, notes] + (date.map { [String($0)] } ?? []) {
      canonical += Array("\(field.utf8.count):".utf8) + Array(field.utf8)
    }
    return Array(SHA256.hash(data: canonical))
  }
}

/// A booked transfer: the answer of ``Routes/transfers``.
public struct TransferReceipt: Codable, Sendable, Hashable {
  /// The transfer's identifier.
  public var transfer: String
  /// The paying account.
  public var from: String
  /// The receiving account.
  public var to: String
  /// The amount.
  public var amount: Amount
  /// ISO 4217.
  public var currency: String
  /// The paying account's new balance.
  public var balance: Amount
  /// The time of booking, seconds since 1970.
  public var booked: Int64
  /// The recorded transfer date, seconds since 1970; nil if the transfer had none.
  public var date: Int64?

  /// Creates a receipt.
  public init(
    transfer: String, from: String, to: String, amount: Amount, currency: String, balance: Amount, booked: Int64,
    date: Int64? = nil
  ) {
    self.transfer = transfer
    self.from = from
    self.to = to
    self.amount = amount
    self.currency = currency
    self.balance = balance
    self.booked = booked
    self.date = date
  }
}

extension ChallengePurpose {
  /// To approve one transfer of the sample bank.
  public static let transfer = ChallengePurpose.service("ledger")
}
