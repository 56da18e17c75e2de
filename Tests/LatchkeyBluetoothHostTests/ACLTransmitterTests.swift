import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@Suite struct ACLTransmitterTests {
  /// A frame of `payload`, its headroom free.
  private func frame(_ payload: [UInt8]) -> [UInt8] {
    var writer = OutgoingFrame.writer(capacity: payload.count)
    writer.append(payload)
    return writer.bytes
  }

  private func transmitter(
    length: Int = 27, count: Int = 1, _ handles: ConnectionHandle...
  ) -> ACLTransmitter {
    var transmitter = ACLTransmitter()
    transmitter.configure(packetLength: length, packetCount: count)
    for handle in handles { transmitter.open(handle) }
    return transmitter
  }

  private func drain(_ transmitter: inout ACLTransmitter) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    while let packet = transmitter.nextPacket() { packets.append(packet) }
    return packets
  }

  @Test("All headers are filled in") func fillsInAllHeaders() {
    var transmitter = transmitter(0x0040)
    #expect(transmitter.enqueue(frame([0x0A, 0x03, 0x00]), channel: .attribute, handle: 0x0040) == true)
    #expect(
      transmitter.nextPacket() == [0x02, 0x40, 0x00, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x0A, 0x03, 0x00])
    #expect(transmitter.nextPacket() == nil)
  }

  @Test("An empty payload is sent as a frame") func emptyPayloadIsAFrame() {
    var transmitter = transmitter(1)
    #expect(transmitter.enqueue(frame([]), channel: .signalling, handle: 1) == true)
    #expect(transmitter.nextPacket() == [0x02, 0x01, 0x00, 0x04, 0x00, 0x00, 0x00, 0x05, 0x00])
  }

  @Test("A frame that goes at once is the packet that would be sent, and takes a buffer") func departsAtOnce() {
    var (straight, queued) = (transmitter(count: 2, 1, 2), transmitter(count: 2, 1, 2))
    let bytes = frame([0x0A, 0x03, 0x00])
    #expect(straight.sendsAtOnce(bytes.count, 1))
    queued.enqueue(bytes, channel: .attribute, handle: 1)
    #expect(straight.depart(bytes, channel: .attribute, handle: 1) == queued.nextPacket())
    #expect(straight.sentFrames(1) == 1)
    #expect(straight.queuedFrames(1) == 0)
    // Of two buffers one is left, for the link that has none.
    #expect(!straight.sendsAtOnce(bytes.count, 1))
    #expect(straight.sendsAtOnce(bytes.count, 2) == queued.sendsAtOnce(bytes.count, 2))
    straight.completed(1, count: 1)
    #expect(straight.sendsAtOnce(bytes.count, 1))
    straight.close(1)
    #expect(!straight.sendsAtOnce(bytes.count, 1))
  }

  @Test("Frames that go at once leave a buffer to each link that holds none") func departuresLeaveBuffers() {
    var transmitter = transmitter(count: 6, 1, 2, 3)
    for _ in 0..<2 {
      var count = 0
      while transmitter.sendsAtOnce(12, 1) {
        _ = transmitter.depart(frame([1, 2, 3]), channel: .attribute, handle: 1)
        count += 1
      }
      #expect(count == 4)
      transmitter.completed(1, count: count)
    }
  }

  @Test("No frame goes at once without headroom, with a frame before it, or longer than a packet")
  func doesNotDepartAtOnce() {
    var transmitter = transmitter(count: 4, 1)
    #expect(!transmitter.sendsAtOnce(OutgoingFrame.headroom - 1, 1))
    #expect(!transmitter.sendsAtOnce(OutgoingFrame.l2capOffset + 28, 1))
    #expect(!transmitter.sendsAtOnce(12, 2))
    transmitter.enqueue(frame([1]), channel: .signalling, handle: 1)
    #expect(!transmitter.sendsAtOnce(12, 1))
    #expect(transmitter.isBusy)
    _ = transmitter.nextPacket()
    #expect(!transmitter.isBusy)
    #expect(transmitter.sendsAtOnce(12, 1))
  }

  /// A payload of 23 bytes fills a packet of 27; each longer one up to four packets is cut, at every length.
  @Test("Frames are cut at the controller's packet length") func cutsAtTheControllersLength() throws {
    for count in 0...104 {
      var transmitter = transmitter(count: 100, 7)
      let payload = (0..<count).map { UInt8($0) }
      transmitter.enqueue(frame(payload), channel: .attribute, handle: 7)
      let packets = drain(&transmitter)
      #expect(packets.count == max(1, (count + 4 + 26) / 27))
      var pdu: [UInt8] = []
      for (index, bytes) in packets.enumerated() {
        var packet = try ACLPacket(decoding: bytes)
        #expect(packet.boundary == (index == 0 ? .firstNonFlushable : .continuing))
        #expect(packet.connectionHandle == 7)
        #expect(packet.payload.remaining == (index < packets.count - 1 ? 27 : (count + 4 - 27 * index)))
        pdu += packet.payload.remainingBytes()
      }
      #expect(pdu == [UInt8(count), 0x00, 0x04, 0x00] + payload)
    }
  }

  /// 27 × 1, the smallest controller there is: one packet, then nothing before its credit.
  @Test("With one buffer each credit sends one packet") func oneBufferSendsOnePacketForACredit() {
    var transmitter = transmitter(1)
    transmitter.enqueue(frame(Array(repeating: 0x55, count: 50)), channel: .attribute, handle: 1)
    #expect(transmitter.queuedFrames(1) == 1)
    #expect(transmitter.nextPacket()?.count == 32)
    #expect(transmitter.nextPacket() == nil)
    #expect(transmitter.queuedFrames(1) == 1)
    transmitter.completed(1, count: 1)
    #expect(transmitter.nextPacket()?.count == 32)
    #expect(transmitter.queuedFrames(1) == 0)
    #expect(transmitter.nextPacket() == nil)
  }

  @Test("Late credits for several packets are all used") func lateCreditsComeAllAtOnce() {
    var transmitter = transmitter(count: 3, 1)
    for value in 0..<5 { transmitter.enqueue(frame([UInt8(value)]), channel: .attribute, handle: 1) }
    #expect(drain(&transmitter).map(\.last) == [0, 1, 2])
    transmitter.completed(1, count: 3)
    #expect(drain(&transmitter).map(\.last) == [3, 4])
  }

  @Test("Credits beyond the packets sent are ignored") func creditsThatWereNeverSpentAreNotBelieved() {
    var transmitter = transmitter(count: 4, 1, 2)
    transmitter.enqueue(frame([1]), channel: .attribute, handle: 1)
    #expect(drain(&transmitter).count == 1)
    transmitter.completed(1, count: 1000)
    transmitter.completed(1, count: -5)
    transmitter.completed(2, count: 3)
    transmitter.completed(9, count: 3)
    for _ in 0..<8 { transmitter.enqueue(frame([2]), channel: .attribute, handle: 2) }
    // One is reserved for the other link.
    #expect(drain(&transmitter).count == 3)
  }

  @Test("Closing a link returns its credits and drops its frames") func closingALinkReturnsItsCreditsAndDropsItsFrames()
  {
    var transmitter = transmitter(count: 2, 1)
    for _ in 0..<4 { transmitter.enqueue(frame([1]), channel: .attribute, handle: 1) }
    #expect(drain(&transmitter).count == 2)
    transmitter.open(2)
    transmitter.enqueue(frame([2]), channel: .attribute, handle: 2)
    #expect(transmitter.nextPacket() == nil)
    transmitter.close(1)
    #expect(transmitter.queuedFrames(1) == 0)
    #expect(drain(&transmitter).map(\.last) == [2])
    // A completion that was under way when the link ended counts for nothing.
    transmitter.completed(1, count: 2)
    for _ in 0..<3 { transmitter.enqueue(frame([3]), channel: .attribute, handle: 2) }
    #expect(drain(&transmitter).count == 1)
  }

  @Test("A reused handle starts without old state") func reusedHandle() throws {
    var transmitter = transmitter(count: 2, 1)
    transmitter.enqueue(frame(Array(repeating: 1, count: 100)), channel: .attribute, handle: 1)
    #expect(drain(&transmitter).count == 2)
    transmitter.open(1)
    #expect(transmitter.queuedFrames(1) == 0)
    transmitter.enqueue(frame([9]), channel: .attribute, handle: 1)
    let packets = drain(&transmitter)
    #expect(packets.map(\.last) == [9])
    let boundaries = try packets.map { try ACLPacket(decoding: $0).boundary }
    #expect(boundaries == [.firstNonFlushable])
  }

  @Test("A link whose peer reads nothing leaves a buffer to each other link") func fullLinkLeavesBuffers() {
    var transmitter = transmitter(count: 8, 1, 2, 3)
    for handle in [1, 2, 3] as [ConnectionHandle] {
      for _ in 0..<20 { transmitter.enqueue(frame([UInt8(handle.rawValue)]), channel: .attribute, handle: handle) }
      #expect(drain(&transmitter).count == (handle == 1 ? 6 : 1))
    }
    // They go on with what they have.
    for _ in 0..<5 {
      transmitter.completed(3, count: 1)
      #expect(drain(&transmitter).map(\.last) == [3])
    }
    // With fewer buffers than links at least half of them are used.
    var crowd = self.transmitter(count: 4, 1, 2, 3, 4, 5, 6)
    for _ in 0..<9 { crowd.enqueue(frame([1]), channel: .attribute, handle: 1) }
    #expect(drain(&crowd).count == 2)
  }

  @Test("The frames of a link are bounded") func framesOfALinkAreBounded() {
    var transmitter = transmitter(count: 1, 1)
    for _ in 0..<ACLTransmitter.mostFrames {
      let isTaken = transmitter.enqueue(frame([1]), channel: .attribute, handle: 1)
      #expect(isTaken)
    }
    let isTaken = transmitter.enqueue(frame([1]), channel: .attribute, handle: 1)
    #expect(!isTaken)
  }

  @Test("Links take turns packet by packet") func linksTakeTurnsPacketByPacket() throws {
    var transmitter = transmitter(count: 1, 1, 2, 3)
    transmitter.enqueue(frame(Array(repeating: 0, count: 100)), channel: .attribute, handle: 1)
    for handle: ConnectionHandle in [2, 3] {
      for _ in 0..<2 { transmitter.enqueue(frame([0]), channel: .attribute, handle: handle) }
    }
    var order: [UInt16] = []
    while let packet = transmitter.nextPacket() {
      let handle = try ACLPacket(decoding: packet).connectionHandle
      order.append(handle.rawValue)
      transmitter.completed(handle, count: 1)
    }
    #expect(order == [1, 2, 3, 1, 2, 3, 1, 1])
  }

  @Test("The order of turns survives a closed link") func turnsSurviveAClosedLink() throws {
    var transmitter = transmitter(count: 10, 1, 2, 3)
    for handle: ConnectionHandle in [1, 2, 3] {
      for _ in 0..<2 { transmitter.enqueue(frame([0]), channel: .attribute, handle: handle) }
    }
    var order: [UInt16] = []
    for _ in 0..<2 {
      let next = transmitter.nextPacket()
      let packet = try #require(next)
      order.append(try ACLPacket(decoding: packet).connectionHandle.rawValue)
    }
    transmitter.close(1)
    order += try drain(&transmitter).map { try ACLPacket(decoding: $0).connectionHandle.rawValue }
    transmitter.close(3)
    transmitter.close(2)
    #expect(transmitter.nextPacket() == nil)
    #expect(order == [1, 2, 3, 2, 3])
  }

  @Test("Frames that cannot be sent are refused") func refusesWhatCannotBeSent() {
    var transmitter = transmitter(1)
    #expect(transmitter.enqueue(frame([1]), channel: .attribute, handle: 2) == false)
    #expect(transmitter.enqueue([0, 0], channel: .attribute, handle: 1) == false)
    #expect(transmitter.enqueue(frame(Array(repeating: 0, count: 65536)), channel: .attribute, handle: 1) == false)
    #expect(transmitter.enqueue(frame(Array(repeating: 0, count: 65535)), channel: .attribute, handle: 1) == true)
    #expect(transmitter.queuedFrames(1) == 1)
    #expect(transmitter.queuedFrames(2) == 0)
  }

  @Test("Nothing is sent without buffers") func sendsNothingWithoutBuffers() {
    for (length, count) in [(0, 4), (27, 0)] {
      var transmitter = transmitter(length: length, count: count, 1)
      transmitter.enqueue(frame([1]), channel: .attribute, handle: 1)
      #expect(transmitter.nextPacket() == nil)
    }
  }

  /// The queue is a ring: it grows while it is wrapped round.
  @Test("Many frames keep their order") func keepsTheOrderOfManyFrames() {
    var transmitter = transmitter(count: 2, 1)
    var sent: [UInt8] = []
    var next: UInt8 = 0
    for round in 0..<40 {
      for _ in 0..<(round % 7) {
        transmitter.enqueue(frame([next]), channel: .attribute, handle: 1)
        next += 1
      }
      let packets = drain(&transmitter)
      sent += packets.compactMap(\.last)
      transmitter.completed(1, count: packets.count)
    }
    while transmitter.queuedFrames(1) > 0 {
      let packets = drain(&transmitter)
      sent += packets.compactMap(\.last)
      transmitter.completed(1, count: packets.count)
    }
    #expect(sent == Array(0..<next))
  }
}
