import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@Suite struct ACLPacketTests {
  @Test("Handle, flags and data are decoded") func readsHandleFlagsAndData() throws {
    var packet = try ACLPacket(decoding: [0x02, 0xFF, 0x2E, 0x02, 0x00, 0xAA, 0xBB])
    #expect(packet.connectionHandle == 0x0EFF)
    #expect(packet.boundary == .firstFlushable)
    #expect(packet.broadcast == 0)
    #expect(packet.payload.remainingBytes() == [0xAA, 0xBB])
  }

  @Test(
    "The flags are decoded and encoded",
    arguments: [
      (0x00, ACLPacket.Boundary.firstNonFlushable, 0), (0x10, .continuing, 0), (0x20, .firstFlushable, 0),
      (0x30, .complete, 0), (0x60, .firstFlushable, 1), (0xD0, .continuing, 3),
    ] as [(UInt8, ACLPacket.Boundary, UInt8)])
  func flags(byte: UInt8, boundary: ACLPacket.Boundary, broadcast: UInt8) throws {
    let packet = try ACLPacket(decoding: [0x02, 0x01, byte, 0x00, 0x00])
    #expect(packet.boundary == boundary)
    #expect(packet.broadcast == broadcast)
    #expect(packet.connectionHandle == 0x0001)
    #expect(packet.payload.isEmpty)
  }

  @Test("A decoded packet encodes to the same bytes") func encodesWhatItReads() throws {
    let packet = ACLPacket.encode(0x0042, .continuing, data: ByteReader([9, 8, 7]))
    #expect(packet == [0x02, 0x42, 0x10, 0x03, 0x00, 9, 8, 7])
    var patched: [UInt8] = [0, 0, 0, 0, 0, 9, 8, 7]
    ACLPacket.patchHeader(of: &patched, 0x0042, .continuing)
    #expect(patched == packet)
  }

  @Test("Every other length is refused") func refusesEveryOtherLength() {
    let packet: [UInt8] = [0x02, 0x01, 0x20, 0x03, 0x00, 1, 2, 3]
    for count in packet.indices {
      #expect(throws: ByteCodingError.self) { try ACLPacket(decoding: Array(packet[..<count])) }
    }
    #expect(throws: ByteCodingError.trailingBytes(structure: "ACL data", count: 1)) {
      try ACLPacket(decoding: packet + [4])
    }
    #expect(throws: ByteCodingError.invalidValue(field: "packet indicator")) {
      try ACLPacket(decoding: [0x04] + packet.dropFirst())
    }
  }
}
