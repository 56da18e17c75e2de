import EnrollmentProtocol
import Testing

@testable import EnrollmentServer

@Suite("What makes a transfer")
struct TransferRulesTests {
  static let good = Transfer(
    from: "654654123123", to: "123123456456", amount: Amount(minorUnits: 1), currency: "EUR", notes: "Grüße")

  @Test("The documented example is one")
  func accepts() throws {
    try TransferRules.check(Self.good)
  }

  @Test(
    "What is missing or malformed is refused, and nothing has a default",
    arguments: [
      { $0.from = "" }, { $0.to = "" }, { $0.from = "65465412312" }, { $0.from = "6546541231234" },
      { $0.to = "65465412312x" }, { $0.to = "６５４６５４１２３１２３" }, { $0.to = $0.from },
      { $0.amount = Amount(minorUnits: 0) }, { $0.amount = Amount(minorUnits: -1) }, { $0.currency = "" },
      { $0.currency = "eur" }, { $0.currency = "EURO" }, { $0.notes = String(repeating: "x", count: 141) },
      { $0.notes = "a\u{0}b" }, { $0.notes = "a\nb" },
    ] as [@Sendable (inout Transfer) -> Void])
  func refuses(change: @Sendable (inout Transfer) -> Void) {
    var transfer = Self.good
    change(&transfer)
    let problem = #expect(throws: Problem.self) { try TransferRules.check(transfer) }
    #expect(problem?.code == .invalidTransfer)
    #expect(problem?.detail?.isEmpty == false)
  }
}
