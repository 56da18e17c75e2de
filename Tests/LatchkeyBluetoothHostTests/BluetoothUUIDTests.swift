import Testing

@testable import LatchkeyBluetoothHost

@Suite struct BluetoothUUIDTests {
  @Test("Short and long forms are equal") func shortAndLongFormsAreEqual() throws {
    let long = try #require(
      BluetoothUUID(bigEndian: [
        0x00, 0x00, 0x18, 0x0F, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0x80, 0x5F, 0x9B, 0x34, 0xFB,
      ]))
    let short: BluetoothUUID = 0x180F
    #expect(long == short)
    #expect(long.hashValue == short.hashValue)
    #expect(BluetoothUUID(UInt32(0x0000_180F)) == short)
    #expect(long.short == 0x180F)
    #expect(long.description == "0000180F-0000-1000-8000-00805F9B34FB")
    #expect(short.description == "180F")
    #expect(BluetoothUUID(UInt32(0x0001_180F)).short == nil)
    #expect(BluetoothUUID(UInt32(0x0001_180F)).description == "0001180F")
  }

  @Test("Other lengths give nil", arguments: [0, 1, 3, 5, 8, 15, 17, 32])
  func otherLengthsAreNone(count: Int) {
    #expect(BluetoothUUID(bigEndian: Array(repeating: 1, count: count)) == nil)
    #expect(BluetoothUUID(littleEndian: Array(repeating: 1, count: count)) == nil)
  }

  @Test("Bytes are read and written in both orders") func bytesInBothOrders() {
    #expect(BluetoothUUID(bigEndian: [0xF2, 0x00]) == 0xF200)
    #expect(BluetoothUUID(littleEndian: [0x00, 0xF2]) == 0xF200)
    #expect(BluetoothUUID(0xF200 as UInt16).bigEndianBytes == [0xF2, 0x00])
  }

  @Test("A UUID outside the Bluetooth base has no short form") func notInTheBaseIsNotShort() {
    #expect(BluetoothUUID(high: 0x0000_180F_0000_1000, low: 0x8000_0080_5F9B_34FC).short == nil)
    #expect(BluetoothUUID(high: 0x0000_180F_0000_1001, low: 0x8000_0080_5F9B_34FB).short == nil)
  }
}

@Suite struct BluetoothAddressTests {
  @Test("An address prints its most significant byte first") func printsMostSignificantFirst() {
    #expect(BluetoothAddress(0x0102_0304_0506, kind: .public).description == "01:02:03:04:05:06")
    #expect(BluetoothAddress.staticRandom(1).description == "C0:00:00:00:00:01")
  }

  @Test("Addresses of different kinds differ") func kindsDiffer() {
    #expect(BluetoothAddress(1, kind: .public) != BluetoothAddress(1, kind: .random))
    #expect(BluetoothAddress(0xFF00_0000_0000_0001, kind: .public).value == 1)
  }
}
