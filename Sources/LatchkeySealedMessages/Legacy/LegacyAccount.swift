internal import LatchkeyByteCoding

/// An account in the old service's list: three strings.
public struct LegacyAccount: Sendable, Hashable {
  /// The display name.
  public var name: String
  /// The account number.
  public var number: String
  /// The balance with two decimals.
  public var balance: String

  /// Creates an account.
  public init(name: String, number: String, balance: String) {
    self.name = name
    self.number = number
    self.balance = balance
  }

  /// The plaintext of a sealed list.
  public static func plaintext(of accounts: [LegacyAccount]) -> [UInt8] {
    LegacyJSON.array(
      accounts.map { [("name", $0.name), ("number", $0.number), ("balance", $0.balance)] }, asASCII: true)
  }

  /// Parses the accounts of a plaintext. A balance that is a JSON number becomes its text.
  ///
  /// - Throws: `.malformed` if the plaintext is not a list of such accounts.
  public static func accounts(in plaintext: [UInt8]) throws(SealedMessageError) -> [LegacyAccount] {
    guard let list = LegacyJSON.read(plaintext)?.array else { throw .malformed("accounts: not a list") }
    var accounts: [LegacyAccount] = []
    for entry in list {
      guard let members = entry.object, let name = text(members["name"]), let number = text(members["number"]),
        let balance = text(members["balance"])
      else { throw .malformed("accounts: name, number and balance are needed") }
      accounts.append(LegacyAccount(name: name, number: number, balance: balance))
    }
    return accounts
  }

  private static func text(_ value: JSONValue?) -> String? {
    switch value {
    case .string(let text), .number(let text): text
    default: nil
    }
  }
}
