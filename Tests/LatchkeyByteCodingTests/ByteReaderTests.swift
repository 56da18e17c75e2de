import LatchkeyByteCoding
import Testing

@Suite struct ByteReaderTests {
  @Test func integersInBothOrders() throws {
    var reader = ByteReader([0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0xFF])
    #expect(try reader.uint8("a") == 0x01)
    #expect(try reader.uint16("b") == 0x0302)
    #expect(try reader.uint16BigEndian("c") == 0x0405)
    #expect(try reader.uint16("d") == 0x0706)
    #expect(try reader.int8("e") == -1)
    try reader.finish("all")
  }

  @Test func wideIntegers() throws {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    var reader = ByteReader(bytes)
    #expect(try reader.uint24("a") == 0x030201)
    #expect(reader.remaining == 5)
    reader = ByteReader(bytes)
    #expect(try reader.uint64("a") == 0x0807_0605_0403_0201)
    reader = ByteReader(bytes)
    #expect(try reader.uint64BigEndian("a") == 0x0102_0304_0506_0708)
    reader = ByteReader(bytes)
    #expect(try reader.uint32BigEndian("a") == 0x0102_0304)
    #expect(try reader.uint32("b") == 0x0807_0605)
  }

  @Test func truncationNamesTheFieldAndTakesNothing() {
    var reader = ByteReader([1])
    #expect(throws: ByteCodingError.truncated(field: "length", needed: 2, available: 1)) { try reader.uint16("length") }
    #expect(reader.remaining == 1)
    #expect(throws: ByteCodingError.truncated(field: "value", needed: 9, available: 1)) { try reader.bytes(9, "value") }
    #expect(throws: ByteCodingError.self) { try reader.bytes(-1, "value") }
    #expect(throws: ByteCodingError.self) { try reader.subReader(2, "inner") }
    #expect(throws: ByteCodingError.self) { try reader.skip(2, "gap") }
  }

  @Test func subReaderCannotLeaveItsLength() throws {
    var outer = ByteReader([1, 2, 3, 4])
    var inner = try outer.subReader(2, "inner")
    #expect(try inner.uint8("x") == 1)
    #expect(throws: ByteCodingError.truncated(field: "y", needed: 2, available: 1)) { try inner.uint16("y") }
    #expect(throws: ByteCodingError.trailingBytes(structure: "inner", count: 1)) { try inner.finish("inner") }
    #expect(try outer.uint16("after") == 0x0403)
  }

  @Test func offsetsOutsideAreEmptyReaders() {
    #expect(ByteReader([1, 2], from: 5).isEmpty)
    #expect(ByteReader([1, 2], from: -1).remaining == 2)
    #expect(ByteReader([1, 2], from: 1).peek() == 2)
    #expect(ByteReader([]).peek() == nil)
  }

  @Test func remainingBytesMayBeEmpty() {
    var reader = ByteReader([7, 8])
    #expect(reader.remainingBytes() == [7, 8])
    #expect(reader.remainingBytes() == [])
  }
}

@Suite struct ByteWriterTests {
  @Test func writesInOrder() {
    var writer = ByteWriter()
    writer.uint8(1)
    writer.uint16(0x0302)
    writer.uint24(0xFF06_0504)
    writer.uint32BigEndian(0x0708_090A)
    writer.int8(-1)
    writer.append([0xAA])
    writer.zeros(2)
    #expect(writer.bytes == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0xFF, 0xAA, 0, 0])
  }

  @Test func headroomAndPatches() {
    var writer = ByteWriter(headroom: 3, capacity: 4)
    let length = writer.reserve(2)
    writer.append([9, 9])
    writer.patchUInt16(2, at: length)
    writer.patchUInt8(7, at: 0)
    writer.patchUInt8(7, at: 99)
    #expect(writer.bytes == [7, 0, 0, 2, 0, 9, 9])
  }

  @Test func sixtyFourBits() {
    var writer = ByteWriter()
    writer.uint64(0x0807_0605_0403_0201)
    writer.uint64BigEndian(0x0102_0304_0506_0708)
    #expect(writer.bytes == [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8])
  }
}

@Suite struct HexadecimalTests {
  @Test func bothCasesAndSpaces() throws {
    #expect(try Hexadecimal.decode("00 fF 1a") == [0x00, 0xFF, 0x1A])
    #expect(try Hexadecimal.decode("") == [])
    #expect(Hexadecimal.encode([0x00, 0xFF, 0x1A]) == "00ff1a")
  }

  @Test(arguments: ["zz", "1g", "0x1f", "１２", "1-2", "\u{0}0"])
  func refusesWhatIsNoDigit(text: String) {
    #expect(throws: ByteCodingError.self) { try Hexadecimal.decode(text) }
  }

  @Test func refusesOddDigits() {
    #expect(throws: ByteCodingError.oddHexadecimalDigits) { try Hexadecimal.decode("abc") }
    #expect(throws: ByteCodingError.notHexadecimal(offset: 3)) { try Hexadecimal.decode("ab x") }
  }
}

@Suite struct ConstantTimeTests {
  @Test func comparesAllBytes() {
    #expect(constantTimeEquals([1, 2, 3], [1, 2, 3]))
    #expect(!constantTimeEquals([1, 2, 3], [1, 2, 4]))
    #expect(!constantTimeEquals([0, 2, 3], [1, 2, 3]))
    #expect(!constantTimeEquals([1, 2], [1, 2, 3]))
    #expect(constantTimeEquals([], []))
    #expect(constantTimeIsZero([0, 0]))
    #expect(!constantTimeIsZero([0, 1]))
  }
}
