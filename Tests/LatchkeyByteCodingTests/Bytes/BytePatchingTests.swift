import LatchkeyByteCoding
import Testing

@Suite struct BytePatchingTests {
  private static let zeros: [UInt8] = Array(repeating: 0, count: 10)

  @Test("A patch changes bytes in place") func patchesInPlace() {
    var bytes = Self.zeros
    bytes.patchUInt8(0xAA, at: 9)
    bytes.patchUInt16(0x0201, at: 0)
    #expect(bytes == [1, 2, 0, 0, 0, 0, 0, 0, 0, 0xAA])
    bytes.patchUInt64(0x0807_0605_0403_0201, at: 2)
    #expect(bytes == [1, 2, 1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test("A patch outside of the bytes changes nothing", arguments: [-9, -1, 10, 11, Int.min, Int.max])
  func nothingOutside(offset: Int) {
    var bytes = Self.zeros
    bytes.patchUInt8(1, at: offset)
    bytes.patchUInt16(0x0101, at: offset)
    bytes.patchUInt64(.max, at: offset)
    #expect(bytes == Self.zeros)
  }

  @Test("A patch that is half inside changes nothing") func nothingHalfInside() {
    var bytes = Self.zeros
    bytes.patchUInt16(0x0101, at: 9)
    for offset in 3...9 { bytes.patchUInt64(.max, at: offset) }
    #expect(bytes == Self.zeros)
    var none: [UInt8] = []
    none.patchUInt64(.max, at: 0)
    none.patchUInt16(1, at: 0)
    #expect(none.isEmpty)
  }

  @Test("A writer appends the rest of a reader") func appendsTheRestOfAReader() throws {
    var reader = ByteReader([1, 2, 3, 4, 5])
    try reader.skip(1, "gap")
    let inner = try reader.subReader(3, "inner")
    var writer = ByteWriter()
    writer.append(inner)
    writer.append(reader)
    #expect(writer.bytes == [2, 3, 4, 5])
    writer.append(ByteReader([]))
    #expect(writer.count == 4)
  }
}
