import Foundation
import LatchkeySealedMessages
import Testing

@Suite("Dates as NSDate describes them")
struct LegacyDateTests {
  @Test(
    "texts of times",
    arguments: [
      (0, "1970-01-01 00:00:00 +0000"), (1_330_318_800, "2012-02-27 05:00:00 +0000"), (-1, "1969-12-31 23:59:59 +0000"),
      (951_782_400, "2000-02-29 00:00:00 +0000"), (4_107_542_399, "2100-02-28 23:59:59 +0000"),
      (4_107_542_400, "2100-03-01 00:00:00 +0000"), (-62_135_596_800, "0001-01-01 00:00:00 +0000"),
      (253_402_300_799, "9999-12-31 23:59:59 +0000"),
    ] as [(Int64, String)])
  func texts(seconds: Int64, text: String) throws {
    #expect(try LegacyDate.text(seconds) == text)
    #expect(LegacyDate.seconds(text) == seconds)
  }

  @Test("every day of four centuries agrees with Foundation's description")
  func againstFoundation() throws {
    // Foundation counts in the proleptic Gregorian calendar from 1582 on.
    for day in stride(from: Int64(-135_000), through: 40_000, by: 131) {
      let seconds = day * 86_400 + 45_296
      let date = Date(timeIntervalSince1970: Double(seconds))
      #expect(try LegacyDate.text(seconds) == date.description)
    }
  }

  @Test(
    "times outside the years 1 to 9999 are refused",
    arguments: [-62_135_596_801, 253_402_300_800, .min, .max] as [Int64])
  func outside(seconds: Int64) {
    #expect(throws: SealedMessageError.self) { try LegacyDate.text(seconds) }
  }

  @Test("a date alone is its midnight")
  func dateAlone() {
    #expect(LegacyDate.seconds("2012-02-27") == 1_330_300_800)
  }

  @Test(
    "other texts are none",
    arguments: [
      "", " ", "2012", "2012-02", "2012-2-27", "2012-02-30", "2011-02-29", "2100-02-29", "2012-13-01", "2012-00-01",
      "0000-01-01", "12012-01-01", "2012-02-27 05:00:00", "2012-02-27 05:00:00 +0100", "2012-02-27 24:00:00 +0000",
      "2012-02-27 05:60:00 +0000", "2012-02-27 05:00:60 +0000", "2012-02-27T05:00:00Z", "2012-02-27  05:00:00 +0000",
      "2012-02-27 05:00:00 +0000 ", "+012-02-27", "2012-02-27 -5:00:00 +0000", "٢٠١٢-02-27",
    ])
  func refused(text: String) {
    #expect(LegacyDate.seconds(text) == nil)
  }
}
