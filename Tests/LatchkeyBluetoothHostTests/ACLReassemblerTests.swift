import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@Suite struct ACLReassemblerTests {
  /// An ATT PDU of 30 bytes: 34 with its L2CAP header.
  private static let payload = (0..<30).map { UInt8($0) }
  private static let pdu: [UInt8] = [30, 0x00, 0x04, 0x00] + payload

  private func packet(
    _ data: some Sequence<UInt8>, _ boundary: ACLPacket.Boundary = .firstFlushable
  ) throws -> ACLPacket {
    try ACLPacket(decoding: ACLPacket.encode(1, boundary, data: ByteReader(Array(data))))
  }

  private func payload(_ frame: L2CAPFrame?) -> [UInt8]? {
    guard var reader = frame?.payload else { return nil }
    return reader.remainingBytes()
  }

  @Test("A PDU in one packet is whole") func wholeInOnePacket() throws {
    var reassembler = ACLReassembler()
    for boundary in [ACLPacket.Boundary.firstFlushable, .firstNonFlushable] {
      let frame = reassembler.receive(try packet(Self.pdu, boundary))
      #expect(frame?.channel == .attribute)
      #expect(payload(frame) == Self.payload)
    }
    #expect(payload(reassembler.receive(try packet([0, 0, 5, 0]))) == [])
    #expect(reassembler.drops.total == 0)
  }

  /// Even inside the L2CAP header.
  @Test("A PDU cut in two at any byte is reassembled") func cutInTwoAtEveryPlace() throws {
    for cut in 1..<Self.pdu.count {
      var reassembler = ACLReassembler()
      #expect(reassembler.receive(try packet(Self.pdu[..<cut])) == nil)
      let frame = reassembler.receive(try packet(Self.pdu[cut...], .continuing))
      #expect(frame?.channel == .attribute)
      #expect(payload(frame) == Self.payload)
      #expect(reassembler.drops.total == 0)
    }
  }

  @Test("A PDU in single bytes is reassembled") func cutIntoSingleBytes() throws {
    var reassembler = ACLReassembler()
    for (offset, byte) in Self.pdu.enumerated() {
      let frame = reassembler.receive(try packet([byte], offset == 0 ? .firstFlushable : .continuing))
      #expect((frame != nil) == (offset == Self.pdu.count - 1))
      // An empty fragment is no progress, and no harm.
      if frame == nil { #expect(reassembler.receive(try packet([], .continuing)) == nil) }
    }
    #expect(reassembler.drops.total == 0)
  }

  @Test("A continuation without a start is dropped and counted") func continuationWithoutStart() throws {
    var reassembler = ACLReassembler()
    #expect(reassembler.receive(try packet(Self.pdu, .continuing)) == nil)
    #expect(reassembler.drops.continuationWithoutStart == 1)
    #expect(payload(reassembler.receive(try packet(Self.pdu))) == Self.payload)
    #expect(reassembler.receive(try packet([1], .continuing)) == nil)
    #expect(reassembler.drops.continuationWithoutStart == 2)
  }

  @Test("A start replaces an incomplete PDU") func startDuringStart() throws {
    var reassembler = ACLReassembler()
    _ = reassembler.receive(try packet(Self.pdu[..<20]))
    #expect(payload(reassembler.receive(try packet(Self.pdu))) == Self.payload)
    #expect(reassembler.drops.startDuringStart == 1)
    #expect(reassembler.receive(try packet(Self.pdu[20...], .continuing)) == nil)
    #expect(reassembler.drops.continuationWithoutStart == 1)
    #expect(reassembler.drops.total == 2)
  }

  @Test("A PDU longer than its length field is dropped") func longerThanItsOwnLength() throws {
    var reassembler = ACLReassembler()
    #expect(reassembler.receive(try packet(Self.pdu + [0])) == nil)
    #expect(reassembler.drops.excess == 1)
    _ = reassembler.receive(try packet(Self.pdu[..<20]))
    #expect(reassembler.receive(try packet(Self.pdu[20...] + [0], .continuing)) == nil)
    #expect(reassembler.drops.excess == 2)
    // The rest of what was dropped belongs to nothing.
    #expect(reassembler.receive(try packet([1], .continuing)) == nil)
    #expect(reassembler.drops.continuationWithoutStart == 1)
    #expect(payload(reassembler.receive(try packet(Self.pdu))) == Self.payload)
  }

  @Test("A PDU longer than the limit is dropped") func longerThanTheLimit() throws {
    let most = ACLReassembler.maximumPayload
    func header(_ count: Int) -> [UInt8] { [UInt8(count & 0xFF), UInt8(count >> 8), 0x04, 0x00] }
    var reassembler = ACLReassembler()
    let whole = header(most) + Array(repeating: 7, count: most)
    #expect(reassembler.receive(try packet(whole))?.payload.remaining == most)
    #expect(reassembler.receive(try packet(header(most + 1) + [1])) == nil)
    #expect(reassembler.drops.tooLong == 1)
    _ = reassembler.receive(try packet(header(0xFFFF)[..<3]))
    #expect(reassembler.receive(try packet([0x00, 1, 2], .continuing)) == nil)
    #expect(reassembler.drops.tooLong == 2)
  }

  @Test("Packet flags that LE does not have are dropped") func whatLEDoesNotHave() throws {
    var reassembler = ACLReassembler()
    #expect(reassembler.receive(try packet(Self.pdu, .complete)) == nil)
    #expect(reassembler.receive(try packet([])) == nil)
    var broadcast = try packet(Self.pdu)
    broadcast.broadcast = 1
    #expect(reassembler.receive(broadcast) == nil)
    #expect(reassembler.drops.malformed == 3)
    #expect(reassembler.drops.total == 3)
  }
}
