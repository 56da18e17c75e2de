import LatchkeyEnrollmentProtocol
import LatchkeySealedMessages
import Testing

@testable import LatchkeyEnrollmentServer
@testable import LatchkeyLedger

@Suite("Rules for transfers")
struct TransferRulesTests {
  static let good = Transfer(
    from: "654654123123", to: "123123456456", amount: Amount(minorUnits: 1), currency: "EUR", notes: "Grüße")

  @Test("The documented example is one")
  func accepts() throws {
    try TransferRules.check(Self.good)
  }

  @Test(
    "Missing and malformed fields are refused, and none has a default",
    arguments: [
      { $0.from = "" }, { $0.to = "" }, { $0.from = "65465412312" }, { $0.from = "6546541231234" },
      { $0.to = "65465412312x" }, { $0.to = "６５４６５４１２３１２３" }, { $0.to = $0.from },
      { $0.amount = Amount(minorUnits: 0) }, { $0.amount = Amount(minorUnits: -1) }, { $0.currency = "" },
      { $0.currency = "eur" }, { $0.currency = "EURO" }, { $0.notes = String(repeating: "x", count: 141) },
      { $0.notes = "a\u{0}b" }, { $0.notes = "a\nb" }, { $0.date = -1 }, { $0.date = 253_402_300_800 },
      { $0.date = .min }, { $0.date = .max },
    ] as [@Sendable (inout Transfer) -> Void])
  func refuses(change: @Sendable (inout Transfer) -> Void) {
    var transfer = Self.good
    change(&transfer)
    let problem = #expect(throws: Problem.self) { try TransferRules.check(transfer) }
    #expect(problem?.code == .invalidTransfer)
    #expect(problem?.detail?.isEmpty == false)
  }

  /// What clocks may differ by.
  private static let skew = ServerPolicy().window.skew
  /// 12:00 on the 20 001st day, by a policy of two days.
  private static let noon: Int64 = 20_000 * 86_400 + 43_200
  private static let midnight: Int64 = 20_000 * 86_400

  @Test(
    "A date is of the day that runs or later, and not too far ahead; what clocks differ by counts for both",
    arguments: [
      (noon, midnight, true), (noon, midnight - 1, false), (noon, 0, false),
      (noon, noon, true), (noon, noon + 2 * 86_400 + 300, true), (noon, noon + 2 * 86_400 + 301, false),
      (noon, Transfer.dates.upperBound, false),
      // Five minutes into a day it may still be the day before, not a second later.
      (midnight + 299, midnight - 86_400, true), (midnight + 300, midnight - 1, false),
      (midnight + 300, midnight, true), (midnight + 299, midnight - 86_401, false),
    ] as [(Int64, Int64, Bool)])
  func dates(now: Int64, date: Int64, isGood: Bool) throws {
    var policy = LedgerPolicy()
    policy.dateAhead = 2 * 86_400
    var transfer = Self.good
    transfer.date = date
    try TransferRules.check(transfer)
    do throws(Problem) {
      try TransferRules.checkDate(transfer.date, now: now, clockSkew: Self.skew, ahead: policy.dateAhead)
      #expect(isGood)
    } catch {
      #expect(!isGood)
      #expect(error.code == .invalidTransfer)
      #expect(error.detail?.contains(date < now ? "has passed" : "at most 2 days") == true)
    }
  }

  @Test(
    "The day that runs is good to its last second, however little a date may lie ahead",
    arguments: [0, 3600] as [Int64])
  func today(ahead: Int64) throws {
    var policy = LedgerPolicy()
    policy.dateAhead = ahead
    try TransferRules.checkDate(Self.midnight + 86_399, now: Self.noon, clockSkew: Self.skew, ahead: policy.dateAhead)
    try TransferRules.checkDate(Self.midnight, now: Self.noon, clockSkew: Self.skew, ahead: policy.dateAhead)
    for date in [Self.midnight - 1, Self.midnight + 86_400] {
      #expect(throws: Problem.self) {
        try TransferRules.checkDate(date, now: Self.noon, clockSkew: Self.skew, ahead: policy.dateAhead)
      }
    }
  }

  @Test(
    "The error states the limit for future dates exactly",
    arguments: [
      (0, "give today's, in UTC, or none"), (1, "at most 1 second from now"), (40, "at most 40 seconds from now"),
      (60, "at most 1 minute from now"), (5400, "at most 90 minutes from now"), (3600, "at most 1 hour from now"),
      (36 * 3600, "at most 36 hours from now"), (86_400, "at most 1 day from now"), (86_401, "at most 86401 seconds"),
      (40 * 86_400, "at most 40 days from now"),
    ] as [(Int64, String)])
  func lengths(ahead: Int64, words: String) throws {
    var policy = LedgerPolicy()
    policy.dateAhead = ahead
    do throws(Problem) {
      try TransferRules.checkDate(
        Self.noon + 100 * 86_400, now: Self.noon, clockSkew: Self.skew, ahead: policy.dateAhead)
      Issue.record("a date is not bounded")
    } catch {
      #expect(error.detail?.contains(words) == true, "\(error.detail ?? "")")
    }
  }

  @Test("No date traps under any policy")
  func boundless() throws {
    var policy = LedgerPolicy()
    policy.dateAhead = .max
    var transfer = Self.good
    for date in [Transfer.dates.upperBound, Self.noon] {
      transfer.date = date
      try TransferRules.checkDate(transfer.date, now: Self.noon, clockSkew: Self.skew, ahead: policy.dateAhead)
    }
    policy.dateAhead = 0
    try TransferRules.checkDate(transfer.date, now: Self.noon, clockSkew: Self.skew, ahead: policy.dateAhead)
    transfer.date = nil
    try TransferRules.checkDate(transfer.date, now: Self.noon, clockSkew: Self.skew, ahead: policy.dateAhead)
  }
}
