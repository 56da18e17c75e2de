import LatchkeyByteCoding
import Testing

@Suite struct HexadecimalTests {
  @Test("Digits of both cases and spaces are decoded") func bothCasesAndSpaces() throws {
    #expect(try Hexadecimal.decode("00 fF 1a") == [0x00, 0xFF, 0x1A])
    #expect(try Hexadecimal.decode("") == [])
    #expect(Hexadecimal.encode([0x00, 0xFF, 0x1A]) == "00ff1a")
  }

  @Test("Characters that are no digits are refused", arguments: ["zz", "1g", "0x1f", "１２", "1-2", "\u{0}0"])
  func refusesWhatIsNoDigit(text: String) {
    #expect(throws: ByteCodingError.self) { try Hexadecimal.decode(text) }
  }

  @Test("An odd number of digits is refused") func refusesOddDigits() {
    #expect(throws: ByteCodingError.oddHexadecimalDigits) { try Hexadecimal.decode("abc") }
    #expect(throws: ByteCodingError.notHexadecimal(offset: 3)) { try Hexadecimal.decode("ab x") }
  }
}
