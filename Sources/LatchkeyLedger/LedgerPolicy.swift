/// Which transfers need the approval key, and how much an account may give.
public struct LedgerPolicy: Sendable {
  /// The amount from which a transfer needs the approval key: 1000.00 of each currency. None: no transfer needs it.
  public var approvalFrom = AmountsByCurrency(100_000)
  /// The sum that an account may pay within a day (the current hour and the 24 before it) without the approval key. None: no limit.
  public var dailyUnapprovedSum = AmountsByCurrency()
  /// The sum that an account may pay within a day in total. None: no limit but its funds.
  public var dailySum = AmountsByCurrency()
  /// The seconds that a transfer's date may lie ahead. None may be before the current UTC day. Applies to the old service's
  /// transfers, too, unless ``LegacyEnrollmentService/allowsAnyDate``.
  public var dateAhead: Int64 = 90 * 86_400

  /// Creates the default policy.
  public init() {}
}

/// Amounts in minor units, hundredths, by currency.
public struct AmountsByCurrency: Sendable, Hashable {
  /// The amount in currencies without one of their own; nil for none.
  public var others: Int64?
  /// The amounts of single currencies, by their three letters (ISO 4217); a nil is none for this currency.
  public var own: [String: Int64?]

  /// Amounts.
  public init(_ others: Int64? = nil, own: [String: Int64?] = [:]) {
    self.others = others
    self.own = own
  }

  /// The amount in a currency; nil for none.
  public subscript(currency: String) -> Int64? { own[currency] ?? others }

  /// Whether there is no amount in any currency.
  public var isEmpty: Bool { others == nil && own.values.allSatisfy { $0 == nil } }
}
