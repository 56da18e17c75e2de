import LatchkeyByteCoding
import Testing

@Suite("Base64")
struct Base64Tests {
  // RFC 4648 section 10.
  private static let vectors = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ]

  /// A form's alphabet in the order of values.
  private static func alphabet(_ form: Base64.Form) -> [UInt8] {
    Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
      + Array(form == .urlUnpadded ? "-_".utf8 : "+/".utf8)
  }

  private static func isPadded(_ form: Base64.Form) -> Bool {
    form == .standard || form == .standardWithWhitespace
  }

  /// The decoder's error for `text`; nil if it accepts it.
  private static func error(_ text: String, as form: Base64.Form) -> ByteCodingError? {
    do throws(ByteCodingError) {
      _ = try Base64.decode(text, as: form)
      return nil
    } catch {
      return error
    }
  }

  @Test("The examples of RFC 4648 encode and decode in each form", arguments: vectors)
  func examples(plain: String, text: String) throws {
    for form in Base64.Form.allCases {
      let expected = Self.isPadded(form) ? text : text.filter { $0 != "=" }
      let bytes = Array(plain.utf8)
      let characters = Array(expected.utf8)
      #expect(Base64.encode(bytes, as: form) == expected)
      #expect(Base64.encodeASCII(bytes.span, as: form) == characters)
      #expect(try Base64.decode(expected, as: form) == bytes)
      #expect(try Base64.decode(characters.span, as: form) == bytes)
    }
  }

  @Test("The form without a name is the standard's")
  func defaultForm() throws {
    #expect(Base64.encode([0xFB, 0xF0]) == "+/A=")
    #expect(try Base64.decode("+/A=") == [0xFB, 0xF0])
    #expect(throws: ByteCodingError.notBase64(offset: 0)) { try Base64.decode("-_A=") }
    #expect(throws: ByteCodingError.invalidBase64Length) { try Base64.decode("+/A") }
  }

  @Test("Values 0 to 63 have the digits of the form's alphabet, in order", arguments: Base64.Form.allCases)
  func digits(form: Base64.Form) throws {
    let alphabet = Self.alphabet(form)
    var bytes: [UInt8] = []
    for value in stride(from: 0, to: 64, by: 4) {
      let group = (0..<4).reduce(0) { $0 << 6 | (value + $1) }
      bytes += [UInt8(group >> 16), UInt8(group >> 8 & 0xFF), UInt8(group & 0xFF)]
    }
    #expect(Base64.encodeASCII(bytes.span, as: form) == alphabet)
    #expect(try Base64.decode(alphabet.span, as: form) == bytes)
  }

  @Test("A byte that is no digit of the form is refused at its offset", arguments: Base64.Form.allCases)
  func otherCharacters(form: Base64.Form) {
    let digits = Set(Self.alphabet(form))
    let space: Set<UInt8> = form == .standardWithWhitespace ? [0x09, 0x0A, 0x0D, 0x20] : []
    for character in UInt8.min...UInt8.max where !digits.contains(character) && !space.contains(character) {
      for offset in 0..<8 {
        var text = Array("AAAAAAAA".utf8)
        text[offset] = character
        // A padded form accepts padding here and refuses what follows it, or the text's end.
        let isPadding = Self.isPadded(form) && character == UInt8(ascii: "=")
        if isPadding, offset == 7 {
          #expect((try? Base64.decode(text.span, as: form)) == [0, 0, 0, 0, 0])
          continue
        }
        let expected = ByteCodingError.notBase64(offset: isPadding ? offset + 1 : offset)
        #expect(throws: expected, "\(character) at \(offset)") { try Base64.decode(text.span, as: form) }
      }
    }
  }

  @Test(
    "Padding that is missing, too much or misplaced is refused where padding is complete",
    arguments: [
      ("A", .invalidBase64Length), ("AA", .invalidBase64Length), ("AAA", .invalidBase64Length),
      ("A=", .invalidBase64Length), ("A==", .invalidBase64Length), ("A===", .invalidBase64Length),
      ("AA=", .invalidBase64Length), ("AA===", .invalidBase64Length), ("AA======", .invalidBase64Length),
      ("AAA==", .invalidBase64Length), ("AAA=====", .invalidBase64Length), ("AAAA=", .invalidBase64Length),
      ("AAAA==", .invalidBase64Length), ("AAAA====", .invalidBase64Length), ("=", .invalidBase64Length),
      ("==", .invalidBase64Length), ("====", .invalidBase64Length), ("AAAAA", .invalidBase64Length),
      ("AA==AA==", .notBase64(offset: 4)), ("=AAA", .notBase64(offset: 1)), ("A=AA", .notBase64(offset: 2)),
      ("AA=A", .notBase64(offset: 3)), ("AAA=A", .notBase64(offset: 4)),
    ] as [(String, ByteCodingError)])
  func padding(text: String, expected: ByteCodingError) {
    #expect(Self.error(text, as: .standard) == expected)
    #expect(Self.error(text, as: .standardWithWhitespace) == expected)
  }

  @Test("A form without padding refuses it, and a last group of one digit")
  func unpadded() {
    for form in [Base64.Form.standardUnpadded, .urlUnpadded] {
      for (text, offset) in [("=", 0), ("AA=", 2), ("AA==", 2), ("AAA=", 3), ("AAAA=", 4), ("AAAA====", 4)] {
        #expect(Self.error(text, as: form) == .notBase64(offset: offset), "\(text)")
      }
      for text in ["A", "AAAAA", "AAAAAAAAA"] {
        #expect(Self.error(text, as: form) == .invalidBase64Length, "\(text)")
      }
    }
  }

  @Test("Of all last digits only those without bits after the last byte are accepted", arguments: Base64.Form.allCases)
  func trailingBits(form: Base64.Form) {
    for (value, digit) in Self.alphabet(form).enumerated() {
      let digit = String(UnicodeScalar(digit))
      let one = "AAAAA" + digit + (Self.isPadded(form) ? "==" : "")
      let two = "AAAAAA" + digit + (Self.isPadded(form) ? "=" : "")
      #expect(Self.error(one, as: form) == (value & 0x0F == 0 ? nil : .nonCanonicalBase64), "\(one)")
      #expect(Self.error(two, as: form) == (value & 0x03 == 0 ? nil : .nonCanonicalBase64), "\(two)")
    }
  }

  @Test(
    "White space is refused by each form but one",
    arguments: [" Zg==", "Zg== ", "Zg==\n", "Z\tg==", "Zg\r\n==", "Zg= =", "Zm9v\nZg==", "\n", " "])
  func whitespace(text: String) {
    for form in Base64.Form.allCases where form != .standardWithWhitespace {
      let text = Self.isPadded(form) ? text : text.filter { $0 != "=" }
      let offset = text.utf8.prefix { $0 > 0x20 }.count
      #expect(Self.error(text, as: form) == .notBase64(offset: offset))
    }
    #expect(Self.error(text, as: .standardWithWhitespace) == nil)
  }

  @Test("White space of property lists is skipped, other white space is refused")
  func whitespaceTolerant() throws {
    #expect(try Base64.decode("\n\tAQ\n\tID BA==\r\n", as: .standardWithWhitespace) == [1, 2, 3, 4])
    #expect(try Base64.decode("AQID BA=\n=", as: .standardWithWhitespace) == [1, 2, 3, 4])
    #expect(try Base64.decode(" \t\r\n", as: .standardWithWhitespace) == [])
    for space in ["\u{B}", "\u{C}", "\u{0}", "\u{85}", "\u{A0}", "\u{2028}", "\u{3000}", "\u{FEFF}"] {
      #expect(Self.error("AQID\(space)BA==", as: .standardWithWhitespace) == .notBase64(offset: 4))
    }
    #expect(Self.error("A A", as: .standardWithWhitespace) == .invalidBase64Length)
    #expect(Self.error("A B = =", as: .standardWithWhitespace) == .nonCanonicalBase64)
  }

  @Test(
    "Characters that only look like digits are refused",
    arguments: ["\u{212A}AAA", "\u{FF21}AAA", "１AAA", "ÀAAA", "A\u{301}AAA", "\u{FF0B}AAA", "\u{2013}AAA"])
  func lookalikes(text: String) {
    for form in Base64.Form.allCases {
      let offset = text.utf8.prefix { $0 < 0x80 }.count
      #expect(Self.error(text, as: form) == .notBase64(offset: offset))
    }
  }

  @Test("Bytes of each length come back, and the text has the form's length", arguments: Base64.Form.allCases)
  func roundTrips(form: Base64.Form) throws {
    var generator = SplitMix(state: 4648)
    for count in 0...260 {
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      let text = Base64.encode(bytes, as: form)
      #expect(text.utf8.count == (Self.isPadded(form) ? (count + 2) / 3 * 4 : (count * 8 + 5) / 6))
      #expect(try Base64.decode(text, as: form) == bytes)
      // A text that lacks its last character spells nothing else, except whole groups without padding.
      if !text.isEmpty {
        let isWhole = !Self.isPadded(form) && count % 3 != 1
        let shorter = try? Base64.decode(String(text.dropLast()), as: form)
        #expect(shorter == nil || isWhole && shorter?.count == count - 1)
      }
    }
  }

  @Test("An error leaves zeros in place of the decoded bytes")
  func wipedOutput() {
    let texts: [(String, ByteCodingError, Int)] = [
      ("c2VjcmV0*", .notBase64(offset: 8), 6), ("c2VjcmV0A", .invalidBase64Length, 6),
      ("c2VjcmV0AB==", .nonCanonicalBase64, 6), ("*", .notBase64(offset: 0), 0),
    ]
    for (text, expected, count) in texts {
      let characters = Array(text.utf8)
      var bytes: [UInt8] = [1, 2, 3]
      #expect(throws: expected) { try Base64.decode(characters.span, into: &bytes) }
      #expect(bytes == [UInt8](repeating: 0, count: count))
    }
  }

  @Test("A text replaces an array's contents")
  func replacedOutput() throws {
    let characters = Array("Zm8=".utf8)
    var bytes = [UInt8](repeating: 0xAA, count: 40)
    try Base64.decode(characters.span, into: &bytes)
    #expect(bytes == Array("fo".utf8))
    let empty: [UInt8] = []
    try Base64.decode(empty.span, into: &bytes)
    #expect(bytes == [])
  }

  @Test("An array is filled where it stands, so that no copy remains", arguments: Base64.Form.allCases)
  func filledInPlace(form: Base64.Form) throws {
    for count in [1, 2, 3, 57, 58, 4096] {
      let original = [UInt8](repeating: 0x5A, count: count)
      let text = Base64.encodeASCII(original.span, as: form)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count)
      let before = bytes.withUnsafeMutableBytes { $0.baseAddress }
      try Base64.decode(text.span, as: form, into: &bytes)
      #expect(bytes.withUnsafeMutableBytes { $0.baseAddress } == before)
    }
  }

  @Test(
    "An error's description has nothing of the text",
    arguments: [
      ("hunter*", "the character at offset 6 is not Base64"),
      ("hunter2", "a Base64 text ends with too few or too many characters"),
      ("hunter2=", "a Base64 text ends with bits that are not zero"),
    ])
  func descriptions(text: String, expected: String) {
    #expect(Self.error(text, as: .standard)?.description == expected)
  }
}

/// A reproducible generator (SplitMix64).
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
