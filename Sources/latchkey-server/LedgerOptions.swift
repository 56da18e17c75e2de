import ArgumentParser
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyLedger

/// The sample bank: whether it is served, which transfers need an approval, and how much may be given.
struct LedgerOptions: ParsableArguments {
  @Flag(help: "Serve the sample bank, too: accounts and transfers, on tables of its own. --documented serves it, too.")
  var sampleBank = false
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Transfers of so much or more need the approval key, in any currency: 1000.00, or none. Again for one currency: JPY=100000.00. (default: 1000.00)",
      valueName: "amount"))
  var approvalFrom: [CurrencyLimit] = []
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "What an account gives within 24 hours (up to 25) without the approval key; further transfers need it. Or none. Again for one currency: JPY=500000.00. (default: 5000.00)",
      valueName: "amount"))
  var approvalSum: [CurrencyLimit] = []
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The most that an account gives within 24 hours (up to 25), with the approval key or without. Or none. Again for one currency: JPY=900000.00. (default: none)",
      valueName: "amount"))
  var dailySum: [CurrencyLimit] = []
  @Option(
    parsing: .unconditional,
    help: .time(
      "How far ahead a transfer's date may lie, of the old protocol, too: 90d; 0 for today alone. The date is recorded; transfers are booked at once.",
      LedgerPolicy().dateAhead), transform: Span.init(typed:))
  var dateAhead = Span(seconds: LedgerPolicy().dateAhead)
  @OptionGroup var legacy: LegacyEnrollmentOptions

  func validate() throws {
    guard dateAhead.seconds <= 3660 * 86_400 else {
      throw ValidationError("--date-ahead is at most ten years: 90d")
    }
    for (name, limits) in [("from", approvalFrom), ("sum", approvalSum)] where !CurrencyLimit.isOncePerCurrency(limits)
    {
      throw ValidationError("--approval-\(name) is given once, and once for each currency")
    }
    guard CurrencyLimit.isOncePerCurrency(dailySum) else {
      throw ValidationError("--daily-sum is given once, and once for each currency")
    }
  }

  /// Whether the bank is served. The old protocol is the bank's.
  var isServed: Bool { sampleBank || legacy.isLegacy }

  /// The bank, if it is served.
  func service() throws -> LedgerService? {
    guard isServed else { return nil }
    var policy = LedgerPolicy()
    policy.approvalFrom = CurrencyLimit.amounts(approvalFrom, standard: policy.approvalFrom.others)
    policy.dailyUnapprovedSum = CurrencyLimit.amounts(approvalSum, standard: 500_000)
    policy.dailySum = CurrencyLimit.amounts(dailySum, standard: nil)
    policy.dateAhead = dateAhead.seconds
    return try LedgerService(policy: policy, legacy: legacy.service())
  }
}

/// An amount, or that there is no limit; of one currency, or of all without one of their own: `1000.00`, `JPY=100000.00`, `EUR=none`.
struct CurrencyLimit: ExpressibleByArgument {
  /// Three letters (ISO 4217); nil for all others.
  let currency: String?
  /// Minor units; nil for no limit.
  let minorUnits: Int64?

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard parts[0].utf8.count == 3, parts[0].utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else { return nil }
      currency = String(parts[0])
    } else {
      currency = nil
    }
    guard let text = parts.last else { return nil }
    if text == "none" {
      minorUnits = nil
    } else if let amount = Amount(String(text)) {
      minorUnits = amount.minorUnits
    } else {
      return nil
    }
  }

  static func isOncePerCurrency(_ limits: [CurrencyLimit]) -> Bool {
    Set(limits.map(\.currency)).count == limits.count
  }

  /// - Parameter standard: what counts where nothing is said of all currencies.
  static func amounts(_ limits: [CurrencyLimit], standard: Int64?) -> AmountsByCurrency {
    var amounts = AmountsByCurrency(standard)
    for limit in limits {
      if let currency = limit.currency {
        amounts.own.updateValue(limit.minorUnits, forKey: currency)
      } else {
        amounts.others = limit.minorUnits
      }
    }
    return amounts
  }
}
