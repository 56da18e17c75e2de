import LatchkeyKeychainModel
import Testing

@Suite("AttributeValue") struct AttributeValueTests {
  private static let values: [AttributeValue] = [
    .text(""), .text("a"), .text("A"), .text("ab"), .text("\u{E9}"), .text("e\u{301}"), .text("1"), .text("a\0"),
    .bytes([]), .bytes([0x61]), .bytes([0x61, 0x62]), .bytes([0xC3, 0xA9]), .bytes([0xFF]), .bytes([0]),
    .bytes([0, 0, 0, 0, 0, 0, 0, 1]), .number(0), .number(1), .number(-1), .number(.min), .number(.max), .date(0),
    .date(1), .date(-1), .date(0.5),
  ]

  @Test("A text and bytes have the same canonical bytes; numbers and dates begin with a byte of their own")
  func canonicalBytes() {
    #expect(AttributeValue.text("aé").canonicalBytes == [0, 0x61, 0xC3, 0xA9])
    #expect(AttributeValue.bytes([0x61, 0xC3, 0xA9]).canonicalBytes == [0, 0x61, 0xC3, 0xA9])
    #expect(AttributeValue.number(0x0102_0304_0506_0708).canonicalBytes == [1, 1, 2, 3, 4, 5, 6, 7, 8])
    #expect(AttributeValue.number(-2).canonicalBytes == [1, 255, 255, 255, 255, 255, 255, 255, 254])
    // 1.5 in IEEE 754.
    #expect(AttributeValue.date(1.5).canonicalBytes == [2, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0])
    #expect(AttributeValue.text("").canonicalBytes == [0])
  }

  @Test("A query finds a value exactly if the canonical bytes are equal, whichever of the two is the query")
  func matching() {
    for a in Self.values {
      for b in Self.values {
        #expect(a.matches(b) == (a.canonicalBytes == b.canonicalBytes), "\(a), \(b)")
        #expect(a.matches(b) == b.matches(a), "\(a), \(b)")
      }
    }
  }

  @Test("A text matches its own bytes in UTF-8 and no others") func textAndBytes() {
    #expect(AttributeValue.text("é").matches(.bytes([0xC3, 0xA9])))
    #expect(AttributeValue.bytes([0xC3, 0xA9]).matches(.text("é")))
    #expect(!AttributeValue.text("é").matches(.bytes([0xE9])))
    #expect(!AttributeValue.text("a").matches(.bytes([0x61, 0])))
    #expect(!AttributeValue.bytes([0x61]).matches(.text("ab")))
  }

  @Test("Texts that only look alike do not match") func lookingAlike() {
    #expect(!AttributeValue.text("\u{E9}").matches(.text("e\u{301}")))
    #expect(!AttributeValue.text("a").matches(.text("A")))
    #expect(!AttributeValue.text("a").matches(.text("a ")))
    #expect(!AttributeValue.text("a").matches(.text("а")))
    #expect(!AttributeValue.text("K").matches(.text("\u{212A}")))
  }

  @Test("A number matches neither its digits, nor its bytes, nor a date of the same value") func numbers() {
    #expect(!AttributeValue.number(1).matches(.text("1")))
    #expect(!AttributeValue.number(1).matches(.bytes([0, 0, 0, 0, 0, 0, 0, 1])))
    #expect(!AttributeValue.number(1).matches(.bytes([1])))
    #expect(!AttributeValue.number(1).matches(.date(1)))
    #expect(!AttributeValue.date(1).matches(.number(1)))
    #expect(!AttributeValue.number(-1).matches(.number(1)))
    #expect(AttributeValue.number(.min).matches(.number(.min)))
  }

  @Test("No value but an empty text, no bytes and 0 counts as absent") func emptyOrZero() {
    #expect(Self.values.filter(\.isEmptyOrZero) == [.text(""), .bytes([]), .number(0)])
    #expect(!AttributeValue.text("\0").isEmptyOrZero)
    #expect(!AttributeValue.text("0").isEmptyOrZero)
    #expect(!AttributeValue.date(0).isEmptyOrZero)
  }

  @Test("Both zeros are one date, and all dates that are no number are one") func unusualDates() {
    let dates: [Double] = [0, -0.0, .nan, .signalingNaN, -.nan, .infinity, -.infinity, 1]
    for a in dates {
      for b in dates {
        let areOne = a == b || a.isNaN && b.isNaN
        #expect(AttributeValue.date(a).matches(.date(b)) == areOne, "\(a), \(b)")
        #expect(
          (AttributeValue.date(a).canonicalBytes == AttributeValue.date(b).canonicalBytes) == areOne, "\(a), \(b)")
      }
    }
  }
}
