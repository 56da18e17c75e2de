import LatchkeyByteCoding
import Testing

@Suite struct ByteWriterTests {
  @Test("Values are written in their order") func writesInOrder() {
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

  @Test("Headroom is prepended and lengths are patched") func headroomAndPatches() {
    var writer = ByteWriter(headroom: 3, capacity: 4)
    let length = writer.reserve(2)
    writer.append([9, 9])
    writer.patchUInt16(2, at: length)
    writer.patchUInt8(7, at: 0)
    writer.patchUInt8(7, at: 99)
    #expect(writer.bytes == [7, 0, 0, 2, 0, 9, 9])
  }

  @Test("Integers of 64 bits are written in both byte orders") func sixtyFourBits() {
    var writer = ByteWriter()
    writer.uint64(0x0807_0605_0403_0201)
    writer.uint64BigEndian(0x0102_0304_0506_0708)
    #expect(writer.bytes == [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8])
  }
}
