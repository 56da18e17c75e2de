import LatchkeyByteCoding
import Testing

/// BER as PKCS #12 files have it.
@Suite struct BERReaderTests {
  @Test("Lengths in more bytes than need be, and indefinite ones, read as the shortest")
  func lengths() throws {
    for text in ["30 03 02 01 05", "30 81 03 02 01 05", "30 84 00 00 00 03 02 01 05", "30 80 02 01 05 00 00"] {
      var reader = try reader(text)
      var content = try reader.item(.sequence, "a sequence")
      #expect(try content.number("a number") == 5)
      try content.finish("a sequence")
      try reader.finish("the end")
    }
  }

  @Test("The element after an indefinite length follows its end, however deep it nests")
  func nesting() throws {
    var reader = try reader("30 80 30 80 30 80 04 02 00 00 00 00 00 00 00 00 02 01 07")
    _ = try reader.item(.sequence, "a sequence")
    #expect(try reader.number("a number") == 7)
  }

  @Test("Strings in parts are joined, also parts in parts")
  func parts() throws {
    for text in ["04 03 01 02 03", "24 07 04 01 01 04 02 02 03", "24 80 24 80 04 01 01 00 00 04 02 02 03 00 00"] {
      var reader = try reader(text)
      #expect(try reader.string(.octetString, "a string").bytes() == [1, 2, 3])
    }
    var implicit = try reader("A0 80 04 01 01 04 02 02 03 00 00")
    #expect(try implicit.string(.implicit0, "a string").bytes() == [1, 2, 3])
    var empty = try reader("24 80 00 00")
    #expect(try empty.string(.octetString, "a string").isEmpty)
    var wrong = try reader("24 05 04 01 01 02 00")
    #expect(throws: BERError.self) { try wrong.string(.octetString, "a string") }
  }

  @Test(
    "Malformed BER is refused",
    arguments: [
      "", "30", "30 05 00", "30 81", "30 82 01", "30 FF", "30 84 FF FF FF FF", "30 88 7F FF FF FF FF FF FF FF",
      "30 89 00 00 00 00 00 00 00 01 00", "30 80", "30 80 00", "30 80 02 01 05", "30 80 02 01 05 00", "04 80 00 00",
      "3F 81 00 00", "00 00", "30 80 04 80 00 00 00 00",
    ])
  func refused(text: String) throws {
    var reader = try reader(text)
    #expect(throws: BERError.self) { try reader.element("something") }
  }

  @Test(
    "The first length byte 0xFF is refused, also where the content is there", arguments: [ASN1EncodingRules.ber, .der])
  func reservedLength(rules: ASN1EncodingRules) {
    let length = [0xFF] + [UInt8](repeating: 0, count: 126) + [3]
    var reader = BERReader<BERError>([0x30] + length + [2, 1, 5], rules: rules, depth: 4)
    #expect { try reader.element("something") } throws: { ($0 as? BERError)?.kind == .reservedLength }
  }

  @Test("Nesting ends at the bound, also in indefinite lengths, and without recursion")
  func depth() throws {
    let definite = (0..<20).reduce([UInt8]()) { inner, _ in [0x30, UInt8(inner.count)] + inner }
    var nested = reader(definite)
    #expect(throws: BERError.self) {
      while true { nested = try nested.item(.sequence, "a sequence") }
    }
    let indefinite = [UInt8](repeating: 0, count: 0) + (0..<200_000).flatMap { _ in [0x30, 0x80] as [UInt8] }
    var deep = reader(indefinite)
    #expect { try deep.element("something") } throws: { error in
      (error as? BERError)?.kind == .tooDeep
    }
    let parts = (0..<30).reduce([UInt8]()) { inner, _ in [0x24, UInt8(inner.count)] + inner }
    var string = reader(parts)
    #expect(throws: BERError.self) { try string.string(.octetString, "a string") }
    var rewritten = reader(parts)
    #expect(throws: BERError.self) { try rewritten.der("a string") }
  }

  @Test(
    "Numbers are neither negative nor large",
    arguments: [
      ("02 01 00", 0), ("02 01 7F", 127), ("02 02 00 80", 128), ("02 04 7F FF FF FF", 0x7FFF_FFFF),
      ("02 05 00 00 00 00 01", 1), ("02 00", nil), ("02 01 80", nil), ("02 01 FF", nil), ("02 05 00 80 00 00 00", nil),
      ("02 09 01 00 00 00 00 00 00 00 00", nil), ("04 01 05", nil),
    ])
  func numbers(text: String, expected: Int?) throws {
    var reader = try reader(text)
    #expect((try? reader.number("a number")) == expected)
  }

  @Test("Written in DER, values have the shortest lengths and strings one part; DER stays as it is")
  func der() throws {
    let der = "30 0A 04 03 01 02 03 A0 03 02 01 05"
    for text in [der, "30 80 24 80 04 01 01 04 02 02 03 00 00 A0 80 02 81 01 05 00 00 00 00"] {
      var reader = try reader(text)
      #expect(try reader.der("a value") == Hexadecimal.decode(der))
      #expect(reader.isEmpty)
    }
    let long = [0x30, 0x82, 0x01, 0x04, 0x04, 0x82, 0x01, 0x00] + [UInt8](repeating: 9, count: 256)
    var reader = reader(long, depth: 4)
    #expect(try reader.der("a value") == long)
  }

  @Test("Object identifiers of any bytes are read, but not of none")
  func identifiers() throws {
    var odd = try reader("06 02 80 FF")
    #expect(try odd.identifier("a type").content == [0x80, 0xFF])
    var empty = try reader("06 00")
    #expect { try empty.identifier("a type") } throws: { ($0 as? BERError)?.kind == .emptyObjectIdentifier }
  }

  private func reader(_ bytes: [UInt8], depth: Int = 16) -> BERReader<BERError> {
    BERReader(SecretBytes(bytes), rules: .ber, depth: depth)
  }

  private func reader(_ text: String) throws -> BERReader<BERError> { reader(try Hexadecimal.decode(text)) }
}
