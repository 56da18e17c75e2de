import LatchkeyByteCoding
import Testing

@Suite struct ByteReaderTests {
  @Test("Integers are read in both byte orders") func integersInBothOrders() throws {
    var reader = ByteReader([0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0xFF])
    #expect(try reader.uint8("a") == 0x01)
    #expect(try reader.uint16("b") == 0x0302)
    #expect(try reader.uint16BigEndian("c") == 0x0405)
    #expect(try reader.uint16("d") == 0x0706)
    #expect(try reader.int8("e") == -1)
    try reader.finish("all")
  }

  @Test("Wide integers are read in both byte orders") func wideIntegers() throws {
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

  @Test("A truncated field is named, and the reader does not move") func truncationNamesTheFieldAndTakesNothing() {
    var reader = ByteReader([1])
    #expect(throws: ByteCodingError.truncated(field: "length", needed: 2, available: 1)) { try reader.uint16("length") }
    #expect(reader.remaining == 1)
    #expect(throws: ByteCodingError.truncated(field: "value", needed: 9, available: 1)) { try reader.bytes(9, "value") }
    #expect(throws: ByteCodingError.self) { try reader.bytes(-1, "value") }
    #expect(throws: ByteCodingError.self) { try reader.subReader(2, "inner") }
    #expect(throws: ByteCodingError.self) { try reader.skip(2, "gap") }
  }

  @Test("A sub-reader cannot leave its length") func subReaderCannotLeaveItsLength() throws {
    var outer = ByteReader([1, 2, 3, 4])
    var inner = try outer.subReader(2, "inner")
    #expect(try inner.uint8("x") == 1)
    #expect(throws: ByteCodingError.truncated(field: "y", needed: 2, available: 1)) { try inner.uint16("y") }
    #expect(throws: ByteCodingError.trailingBytes(structure: "inner", count: 1)) { try inner.finish("inner") }
    #expect(try outer.uint16("after") == 0x0403)
  }

  @Test("An offset outside of the bytes gives an empty reader") func offsetsOutsideAreEmptyReaders() {
    #expect(ByteReader([1, 2], from: 5).isEmpty)
    #expect(ByteReader([1, 2], from: -1).remaining == 2)
    #expect(ByteReader([1, 2], from: 1).peek() == 2)
    #expect(ByteReader([]).peek() == nil)
  }

  @Test("Remaining bytes may be empty") func remainingBytesMayBeEmpty() {
    var reader = ByteReader([7, 8])
    #expect(reader.remainingBytes() == [7, 8])
    #expect(reader.remainingBytes() == [])
  }
}
