import Foundation
import LatchkeyEnrollmentProtocol
import Testing

@Suite("Amounts")
struct AmountTests {
  @Test(
    "Decimal text with two decimals is read exactly",
    arguments: [
      ("0.00", 0), ("0.01", 1), ("23.23", 2323), ("1000.00", 100_000), ("90071992547409.93", 9_007_199_254_740_993),
      ("999999999999999.99", 99_999_999_999_999_999),
    ] as [(String, Int64)])
  func reads(text: String, minorUnits: Int64) {
    #expect(Amount(text)?.minorUnits == minorUnits)
    #expect(Amount(minorUnits: minorUnits).description == text)
  }

  @Test(
    "Any other text is no amount",
    arguments: [
      "", ".", "1", "1.", "1.0", "1.000", ".00", "01.00", "00.00", "+1.00", "-1.00", " 1.00", "1.00 ", "1,00", "1e2.00",
      "1_0.00", "１.00", "1.0０", "0x1.00", "NaN", "1.00\0", "9999999999999999.99", "1000000000000000000000000.00",
    ])
  func refuses(text: String) {
    #expect(Amount(text) == nil)
  }

  @Test("The smallest and the largest amounts can be shown")
  func extremes() {
    #expect(Amount(minorUnits: .max).description == "92233720368547758.07")
    #expect(Amount(minorUnits: .min).description == "-92233720368547758.08")
    #expect(Amount(minorUnits: -5).description == "-0.05")
  }

  @Test("In JSON an amount is text: a number is refused, a negative balance is read")
  func json() throws {
    let decoder = JSONDecoder()
    #expect(try decoder.decode([Amount].self, from: Data(#"["23.23","-0.05"]"#.utf8)).map(\.minorUnits) == [2323, -5])
    for wrong in ["[23.23]", #"["23.2"]"#, #"["--1.00"]"#, #"["-"]"#, "[null]", "[{}]"] {
      #expect(throws: DecodingError.self) { try decoder.decode([Amount].self, from: Data(wrong.utf8)) }
    }
    #expect(try JSONEncoder().encode([Amount(minorUnits: -5)]) == Data(#"["-0.05"]"#.utf8))
  }
}
