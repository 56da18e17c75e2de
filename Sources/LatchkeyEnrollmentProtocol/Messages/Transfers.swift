internal import Crypto
internal import Foundation

/// An account: a row of the answer of ``Routes/accounts``.
public struct AccountSummary: Codable, Sendable, Hashable {
  /// Its number, 12 digits.
  public var number: String
  /// What people call it.
  public var name: String
  /// ISO 4217, three letters.
  public var currency: String
  /// What is in it.
  public var balance: Amount

  /// An account.
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

  /// A list.
  public init(accounts: [AccountSummary]) { self.accounts = accounts }
}

/// A transfer: the body of ``Routes/transfers``. Nothing has a default but the date: what is missing is refused.
public struct Transfer: Codable, Sendable, Hashable {
  /// The account that gives.
  public var from: String
  /// The account that gets.
  public var to: String
  /// How much; above zero.
  public var amount: Amount
  /// ISO 4217, three letters: that of both accounts.
  public var currency: String
  /// A remark, at most 140 characters.
  public var notes: String
  /// The transfer date, seconds since 1970: recorded with the booking, which happens at once whatever the date is. Nil for none;
  /// the message then has no such member, and is what it was before there were dates.
  public var date: Int64?

  /// The dates that a transfer may have at all: the years 1970 to 9999.
  public static let dates: ClosedRange<Int64> = 0...253_402_300_799

  /// A transfer.
  public init(from: String, to: String, amount: Amount, currency: String, notes: String = "", date: Int64? = nil) {
    self.from = from
    self.to = to
    self.amount = amount
    self.currency = currency
    self.notes = notes
    self.date = date
  }

  /// SHA-256 of the canonical transfer, which is what an approval is bound to: a fixed text, then each field in order as
  /// its length in decimal, a colon and its UTF-8. Fields cannot run into one another. A transfer with a date has another
  /// fixed text, `v2`, and the date in decimal as its last field; one without has the form of `v1`, as it always had.
  public var digest: [UInt8] {
    var canonical = Array("latchkey-transfer-\(date == nil ? "v1" : "v2")\n".utf8)
    for field in [from, to, amount.description, currency, notes] + (date.map { [String($0)] } ?? []) {
      canonical += Array("\(field.utf8.count):".utf8) + Array(field.utf8)
    }
    return Array(SHA256.hash(data: canonical))
  }
}

/// A transfer that is booked: the answer of ``Routes/transfers``.
public struct TransferReceipt: Codable, Sendable, Hashable {
  /// Its name.
  public var transfer: String
  /// The account that gave.
  public var from: String
  /// The account that got.
  public var to: String
  /// How much.
  public var amount: Amount
  /// ISO 4217.
  public var currency: String
  /// What the giving account has now.
  public var balance: Amount
  /// When, seconds since 1970.
  public var booked: Int64
  /// The transfer date that was recorded, seconds since 1970; nil if the transfer had none.
  public var date: Int64?

  /// A receipt.
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
