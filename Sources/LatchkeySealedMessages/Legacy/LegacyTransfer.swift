internal import Foundation
internal import LatchkeyByteCoding

/// A transfer in the legacy envelope: five strings.
public struct LegacyTransfer: Sendable, Hashable {
  /// The account that receives the money; empty if not given.
  public var toAccount: String
  /// The account that pays it; empty if not given.
  public var fromAccount: String
  /// `NSDate`'s description, `2012-02-27 05:00:00 +0000`.
  public var transferDate: String
  /// A remark; may be empty. Outside the MAC.
  public var transferNotes: String
  /// Two decimals, `23.23`.
  public var amount: String

  /// Creates a transfer from the five strings.
  public init(toAccount: String, fromAccount: String, transferDate: String, transferNotes: String, amount: String) {
    self.toAccount = toAccount
    self.fromAccount = fromAccount
    self.transferDate = transferDate
    self.transferNotes = transferNotes
    self.amount = amount
  }

  /// Creates a transfer with the old client's defaults for missing values: empty accounts and notes, `0.00`, and now.
  ///
  /// The clock is read once. The old client reads it twice, and its MAC is wrong if a second passes in between.
  ///
  /// - Parameters:
  ///   - amount: a binary fraction, as in the old client, formatted with `%.02f`, which may lose digits of decimal text.
  ///   - transferDate: seconds since 1970.
  ///   - now: seconds since 1970.
  /// - Throws: `.misuse` for amounts of more than 15 digits or not a number, and for years beyond 9999.
  public init(
    to toAccount: String? = nil, from fromAccount: String? = nil, amount: Double? = nil, transferDate: Int64? = nil,
    notes transferNotes: String? = nil, now: Int64
  ) throws(SealedMessageError) {
    self.init(
      toAccount: toAccount ?? "", fromAccount: fromAccount ?? "",
      transferDate: try LegacyDate.text(transferDate ?? now), transferNotes: transferNotes ?? "",
      amount: try Self.text(ofAmount: amount ?? 0))
  }

  /// `%.02f` of an amount.
  static func text(ofAmount amount: Double) throws(SealedMessageError) -> String {
    guard amount.magnitude < 1e15 else { throw .misuse("give an amount of at most 15 digits") }
    return String(format: "%.02f", amount)
  }

  /// The text that the MAC covers: four fields without separators, as a C string, which ends before U+0000.
  package var authenticated: [UInt8] {
    Array((toAccount + fromAccount + amount + transferDate).utf8.prefix { $0 != 0 })
  }

  /// The JSON that is encrypted.
  package var plaintext: [UInt8] {
    LegacyJSON.object([
      ("toAccount", toAccount), ("fromAccount", fromAccount), ("transferDate", transferDate),
      ("transferNotes", transferNotes), ("amount", amount),
    ])
  }

  /// Parses that JSON: members in any order, unknown members ignored, a numeric amount formatted again with two decimals.
  package init?(plaintext: [UInt8]) {
    guard let members = LegacyJSON.read(plaintext)?.object, let to = members["toAccount"]?.string,
      let from = members["fromAccount"]?.string, let date = members["transferDate"]?.string
    else { return nil }
    let amount: String
    switch members["amount"] {
    case .string(let text): amount = text
    case .number(let text):
      guard let number = Double(text), let text = try? Self.text(ofAmount: number) else { return nil }
      amount = text
    default: return nil
    }
    // The old service accepts a missing remark as an empty one.
    guard let notes = (members["transferNotes"] ?? .string("")).string else { return nil }
    self.init(toAccount: to, fromAccount: from, transferDate: date, transferNotes: notes, amount: amount)
  }
}
