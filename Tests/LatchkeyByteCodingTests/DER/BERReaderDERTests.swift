import LatchkeyByteCoding
import Testing

/// The strict rules of DER.
@Suite struct BERReaderDERTests {
  @Test("Lengths in as few bytes as they need are read")
  func lengths() throws {
    for size in [0, 1, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x1_0000] {
      var encoder = DEREncoder()
      encoder.item(.octetString, [UInt8](repeating: 7, count: size))
      var reader = reader(encoder.bytes)
      #expect(try reader.string(.octetString, "a string").remaining == size)
      try reader.finish("the end")
    }
  }

  @Test(
    "Each mistake in a tag or a length is refused by its name",
    arguments: [
      ("", .truncated), ("30", .truncated), ("30 81", .truncated), ("30 82", .truncated), ("30 82 01", .lengthTooLong),
      ("30 05 00", .lengthTooLong), ("30 84 FF FF FF FF", .lengthTooLong),
      ("30 88 7F FF FF FF FF FF FF FF", .lengthTooLong), ("30 88 80 00 00 00 00 00 00 00", .lengthTooLong),
      ("30 88 FF FF FF FF FF FF FF FF", .lengthTooLong), ("30 89 01 00 00 00 00 00 00 00 00", .lengthTooLong),
      ("30 81 00", .nonMinimalLength), ("30 81 03 02 01 05", .nonMinimalLength),
      ("30 82 00 03 02 01 05", .nonMinimalLength), ("30 89 00 00 00 00 00 00 00 01 00", .nonMinimalLength),
      ("30 80 00 00", .indefiniteLength), ("A0 80 02 01 05 00 00", .indefiniteLength),
      ("04 80 00 00", .primitiveOfIndefiniteLength), ("24 03 04 01 01", .constructedString),
      ("24 80 04 01 01 00 00", .constructedString), ("23 00", .constructedString), ("2C 00", .constructedString),
      ("22 00", .constructedString), ("3F 81 00 00", .unknownTag), ("1F 01 00", .unknownTag), ("00 00", .unknownTag),
    ] as [(String, BERError.Kind)])
  func refused(text: String, kind: BERError.Kind) throws {
    var reader = reader(try Hexadecimal.decode(text))
    #expect { try reader.element("something") } throws: { ($0 as? BERError)?.kind == kind }
  }

  @Test("Strings in parts are refused under each of their tags")
  func parts() throws {
    var octets = reader([0x24, 0x03, 0x04, 0x01, 0x01])
    #expect { try octets.string(.octetString, "a string") } throws: { ($0 as? BERError)?.kind == .constructedString }
    var implicit = reader([0xA0, 0x03, 0x04, 0x01, 0x01])
    #expect { try implicit.string(.implicit0, "a string") } throws: { ($0 as? BERError)?.kind == .constructedString }
  }

  @Test(
    "Numbers are minimal, not negative and at most 2^31 - 1",
    arguments: [
      ("02 01 00", nil), ("02 01 7F", nil), ("02 02 00 80", nil), ("02 04 7F FF FF FF", nil),
      ("02 00", .emptyInteger), ("02 01 80", .negativeInteger), ("02 02 FF 7F", .negativeInteger),
      ("02 02 00 7F", .nonMinimalInteger), ("02 02 00 00", .nonMinimalInteger),
      ("02 05 00 80 00 00 00", .integerTooLarge), ("02 09 01 00 00 00 00 00 00 00 00", .integerTooLarge),
      ("04 01 05", .wrongTag), ("", .missing),
    ] as [(String, BERError.Kind?)])
  func numbers(text: String, kind: BERError.Kind?) throws {
    var reader = reader(try Hexadecimal.decode(text))
    do throws(BERError) {
      _ = try reader.number("a number")
      #expect(kind == nil)
    } catch {
      #expect(error.kind == kind)
    }
  }

  @Test(
    "Unsigned numbers of any size have no zeros in front",
    arguments: [
      ("02 01 00", []), ("02 01 7F", [0x7F]), ("02 02 00 80", [0x80]), ("02 02 01 00", [1, 0]),
      ("02 09 00 FF 00 00 00 00 00 00 01", [0xFF, 0, 0, 0, 0, 0, 0, 1]),
    ] as [(String, [UInt8])])
  func unsignedIntegers(text: String, digits: [UInt8]) throws {
    var reader = reader(try Hexadecimal.decode(text))
    #expect(try reader.unsignedInteger("a number").bytes() == digits)
    try reader.finish("the end")
  }

  @Test(
    "Unsigned numbers are not empty, negative or longer than they need be, and bit strings are of whole bytes",
    arguments: [
      ("02 00", .emptyInteger), ("02 01 80", .negativeInteger), ("02 02 00 7F", .nonMinimalInteger),
      ("02 02 00 00", .nonMinimalInteger), ("03 00", .partialByte), ("03 02 01 FE", .partialByte),
      ("03 02 08 00", .partialByte), ("05 00", .wrongTag), ("", .missing),
    ] as [(String, BERError.Kind)])
  func refusedScalars(text: String, kind: BERError.Kind) throws {
    var reader = reader(try Hexadecimal.decode(text))
    #expect {
      if reader.comes(.bitString) { _ = try reader.wholeBitString("bits") }
      _ = try reader.unsignedInteger("a number")
    } throws: { ($0 as? BERError)?.kind == kind }
  }

  @Test("A bit string is read under its own tag and under an implicit one")
  func bitStrings() throws {
    var reader = reader([0x03, 0x02, 0x00, 0xAB, 0x81, 0x01, 0x00])
    #expect(try reader.wholeBitString("bits").bytes() == [0xAB])
    #expect(try reader.wholeBitString("bits", as: .implicit1).isEmpty)
    try reader.finish("the end")
  }

  @Test(
    "A length past the end says how many bytes it needs, if it was read to its last digit",
    arguments: [
      ("04 05 01", 5, 1), ("04 82 01 04 01", 0x104, 1), ("04 84 FF FF FF FF", nil, nil), ("04 82 01", nil, nil),
    ] as [(String, Int?, Int?)])
  func sizes(text: String, needed: Int?, available: Int?) throws {
    var reader = reader(try Hexadecimal.decode(text))
    do throws(BERError) {
      _ = try reader.item(.octetString, "a string")
      Issue.record("it was read")
    } catch {
      #expect(error.kind == .lengthTooLong && error.expected == .octetString)
      #expect(error.size?.needed == needed && error.size?.available == available)
    }
  }

  @Test("Plain bytes are read as secret ones are")
  func plainBytes() throws {
    let bytes: [UInt8] = [0x30, 0x06, 0x04, 0x01, 0x07, 0x02, 0x01, 0x05]
    var plain = BERReader<BERError>(bytes, rules: .der, depth: 2)
    var secret = reader(bytes)
    for reader in [try plain.item(.sequence, "a sequence"), try secret.item(.sequence, "a sequence")] {
      var reader = reader
      #expect(reader.bytes() == Array(bytes.dropFirst(2)))
      let string = try reader.string(.octetString, "a string")
      #expect(string.bytes() == [7] && string.withUnsafeBytes { $0.count } == 1)
      #expect(try reader.number("a number") == 5)
    }
  }

  @Test(
    "Object identifiers are whole and minimal",
    arguments: [
      ("06 03 2A 03 04", nil), ("06 02 86 48", nil), ("06 00", .emptyObjectIdentifier),
      ("06 02 2A 86", .malformedObjectIdentifier), ("06 03 2A 80 01", .malformedObjectIdentifier),
      ("06 02 80 01", .malformedObjectIdentifier), ("06 01 80", .malformedObjectIdentifier),
    ] as [(String, BERError.Kind?)])
  func identifiers(text: String, kind: BERError.Kind?) throws {
    var reader = reader(try Hexadecimal.decode(text))
    do throws(BERError) {
      _ = try reader.identifier("a type")
      #expect(kind == nil)
    } catch {
      #expect(error.kind == kind)
    }
  }

  @Test("Values nest as deep as the limit and no deeper; the reading starts again where the caller says so")
  func depth() throws {
    let nested = (0..<4).reduce([UInt8]()) { inner, _ in [0x30, UInt8(inner.count)] + inner }
    var inner = reader(nested, depth: 3)
    for _ in 0..<3 { inner = try inner.item(.sequence, "a sequence") }
    var again = inner.restarted(depth: 1)
    #expect { try inner.item(.sequence, "a sequence") } throws: { ($0 as? BERError)?.kind == .tooDeep }
    #expect(try again.item(.sequence, "a sequence").isEmpty)
  }

  @Test("Bytes that are left over are refused with their count and the name of what they follow")
  func finish() throws {
    var reader = reader([0x05, 0x00, 0x01, 0x02])
    _ = try reader.item(.null, "a null")
    do throws(BERError) {
      try reader.finish("a value")
      Issue.record("the rest was not refused")
    } catch {
      #expect(error.kind == .trailingBytes(2))
      #expect(error.description == "2 bytes too many after a value")
    }
  }

  @Test("The rest of a reader is read in place, copied and appended alike")
  func rest() throws {
    var reader = reader([0x05, 0x00, 0x04, 0x02, 0x08, 0x09])
    _ = try reader.item(.null, "a null")
    let content = try reader.string(.octetString, "a string")
    var appended: [UInt8] = [7]
    content.append(to: &appended)
    let inPlace = content.withUnsafeBytes { bytes in [UInt8](bytes) }
    #expect(content.bytes() == [8, 9] && inPlace == [8, 9] && appended == [7, 8, 9])
    #expect(content.peek() == 8 && content.remaining == 2 && reader.peek() == nil)
  }

  private func reader(_ bytes: [UInt8], depth: Int = 4) -> BERReader<BERError> {
    BERReader(SecretBytes(bytes), rules: .der, depth: depth)
  }
}
