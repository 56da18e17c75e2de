/// A transfer as the documented envelope carries it: five strings.
public struct DocumentedTransfer: Sendable, Hashable {
  /// The account that gets the money; empty when the caller named none.
  public var toAccount: String
  /// The account that gives it; empty when the caller named none.
  public var fromAccount: String
  /// `NSDate`'s description, `2012-02-27 05:00:00 +0000`.
  public var transferDate: String
  /// A remark; may be empty. Outside the MAC.
  public var transferNotes: String
  /// Two decimals, `23.23`.
  public var amount: String

  /// These five.
  public init(toAccount: String, fromAccount: String, transferDate: String, transferNotes: String, amount: String) {
    self.toAccount = toAccount
    self.fromAccount = fromAccount
    self.transferDate = transferDate
    self.transferNotes = transferNotes
    self.amount = amount
  }
}
