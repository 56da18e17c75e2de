import LatchkeySealedMessages
import Testing

@Suite("The rule that makes the MAC's text unambiguous")
struct LegacyAmbiguityTests {
  private func allows(_ change: (inout LegacyTransfer) -> Void) -> Bool {
    var transfer = SampleEnvelope.transfer
    change(&transfer)
    return transfer.isUnambiguous(accountDigits: 12)
  }

  @Test("Messages of old clients are accepted")
  func passes() throws {
    #expect(allows { _ in })
    for amount in ["0.00", "0.05", "00.05", "999999999999999.99"] { #expect(allows { $0.amount = amount }) }
    #expect(allows { $0.transferDate = "2012-02-27" })
    #expect(allows { $0.transferNotes = "Grüße\n" })
    #expect(
      LegacyTransfer(
        toAccount: "12", fromAccount: "34", transferDate: "2012-02-27", transferNotes: "", amount: "1.00"
      ).isUnambiguous(accountDigits: 2))
  }

  @Test(
    "accounts of another length or form do not",
    arguments: ["", "12312345645", "1231234564567", "12312345645a", "12312345645\u{0}", "１２３１２３４５６４５６", " 23123456456"])
  func accounts(number: String) {
    #expect(!allows { $0.toAccount = number })
    #expect(!allows { $0.fromAccount = number })
  }

  @Test(
    "amounts of another form do not",
    arguments: [
      "", "1", "1.0", "1.000", ".50", "1,00", "-1.00", "+1.00", "1e2.00", " 1.00", "1.00 ", "1.0\u{0}", "1.1.00",
      "1000000000000000.00", "１.00",
    ])
  func amounts(amount: String) {
    #expect(!allows { $0.amount = amount })
  }

  @Test("nor dates that are none, nor a zero in the remark")
  func others() {
    #expect(!allows { $0.transferDate = "" })
    #expect(!allows { $0.transferDate = "2012-02-27 05:00:00 +0000\u{0}x" })
    #expect(!allows { $0.transferDate = "12-02-27" })
    #expect(!allows { $0.transferNotes = "a\u{0}b" })
  }
}
