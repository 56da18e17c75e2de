import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@Suite("A transmitter with channels that have credits") struct ACLTransmitterChannelTests {
  private let a = L2CAPChannelID(rawValue: 0x40)
  private let b = L2CAPChannelID(rawValue: 0x41)

  private func frame(_ payload: [UInt8]) -> [UInt8] {
    var writer = OutgoingFrame.writer(capacity: payload.count)
    writer.append(payload)
    return writer.bytes
  }

  private func transmitter(length: Int = 27, count: Int = 1) -> ACLTransmitter {
    var transmitter = ACLTransmitter()
    transmitter.configure(packetLength: length, packetCount: count)
    transmitter.open(1)
    return transmitter
  }

  /// The channel and last byte of the next packet; only the byte of a fragment.
  private func next(_ transmitter: inout ACLTransmitter) -> [UInt8]? {
    guard let packet = transmitter.nextPacket() else { return nil }
    transmitter.completed(1, count: 1)
    return packet[2] & 0x30 == 0x10 ? [packet[packet.count - 1]] : [packet[7], packet[packet.count - 1]]
  }

  @Test("Headers name the channel of the peer's end") func headers() {
    var transmitter = transmitter()
    transmitter.enqueue(frame([0x01, 0x00, 0xAA]), inQueue: a, 1)
    #expect(
      transmitter.nextPacket() == [0x02, 0x01, 0x00, 0x07, 0x00, 0x03, 0x00, 0x40, 0x00, 0x01, 0x00, 0xAA])
    #expect(transmitter.nextPacket() == nil)
    #expect(transmitter.sentFrames(1) == 0)
  }

  @Test("ATT goes before all frames of channels that have not begun") func attFirst() {
    var transmitter = transmitter()
    for value in 0..<8 { transmitter.enqueue(frame([UInt8(value)]), inQueue: a, 1) }
    #expect(next(&transmitter) == [0x40, 0])
    transmitter.enqueue(frame([0xF0]), channel: .attribute, handle: 1)
    transmitter.enqueue(frame([0xF1]), channel: .signalling, handle: 1)
    #expect(transmitter.queuedFrames(1) == 2)
    #expect(next(&transmitter) == [0x04, 0xF0])
    #expect(next(&transmitter) == [0x05, 0xF1])
    #expect(transmitter.sentFrames(1) == 2)
    #expect(next(&transmitter) == [0x40, 1])
  }

  @Test("ATT waits for the rest of a frame that has begun") func restFirst() {
    var transmitter = transmitter()
    transmitter.enqueue(frame(Array(repeating: 7, count: 60)), inQueue: a, 1)
    transmitter.enqueue(frame([8]), inQueue: a, 1)
    #expect(next(&transmitter) == [0x40, 7])
    #expect(transmitter.sendsAtOnce(20, 1) == false)
    transmitter.enqueue(frame([0xF0]), channel: .attribute, handle: 1)
    #expect(next(&transmitter) == [7])
    #expect(next(&transmitter) == [7])
    #expect(next(&transmitter) == [0x04, 0xF0])
    #expect(next(&transmitter) == [0x40, 8])
    #expect(next(&transmitter) == nil)
  }

  @Test("A frame of a channel waits for the rest of an ATT frame") func restOfATTFirst() {
    var transmitter = transmitter()
    transmitter.enqueue(frame(Array(repeating: 7, count: 60)), channel: .attribute, handle: 1)
    #expect(next(&transmitter) == [0x04, 7])
    transmitter.enqueue(frame([1]), inQueue: a, 1)
    #expect(next(&transmitter) == [7])
    #expect(next(&transmitter) == [7])
    #expect(next(&transmitter) == [0x40, 1])
  }

  @Test("Channels take turns, frame by frame") func channelsTakeTurns() {
    var transmitter = transmitter()
    for value in 0..<3 as Range<UInt8> { transmitter.enqueue(frame([value]), inQueue: a, 1) }
    for value in 10..<12 as Range<UInt8> { transmitter.enqueue(frame([value]), inQueue: b, 1) }
    var order: [[UInt8]] = []
    while let packet = next(&transmitter) { order.append(packet) }
    #expect(order == [[0x40, 0], [0x41, 10], [0x40, 1], [0x41, 11], [0x40, 2]])
  }

  @Test("Links with channels take turns with other links, packet by packet") func linksTakeTurns() {
    var transmitter = transmitter()
    transmitter.open(2)
    for _ in 0..<4 { transmitter.enqueue(frame([1]), inQueue: a, 1) }
    for _ in 0..<2 { transmitter.enqueue(frame([2]), channel: .attribute, handle: 2) }
    var handles: [UInt8] = []
    while let packet = transmitter.nextPacket() {
      handles.append(packet[1])
      transmitter.completed(ConnectionHandle(rawValue: UInt16(packet[1])), count: 1)
    }
    #expect(handles == [1, 2, 1, 2, 1, 1])
  }

  @Test("Half a queue, and an empty one, are reported") func drained() {
    var transmitter = transmitter(count: 20)
    for value in 0..<UInt8(ACLTransmitter.channelDepth) { transmitter.enqueue(frame([value]), inQueue: a, 1) }
    for _ in 0..<ACLTransmitter.channelDepth / 2 - 1 { _ = next(&transmitter) }
    #expect(transmitter.nextDrained() == nil)
    _ = next(&transmitter)
    #expect(transmitter.nextDrained()?.channel == a)
    #expect(transmitter.nextDrained() == nil)
    #expect(transmitter.queuedFrames(of: a, 1) == ACLTransmitter.channelDepth / 2)
    while next(&transmitter) != nil {}
    #expect(transmitter.nextDrained()?.channel == a)
    #expect(transmitter.queuedFrames(of: a, 1) == 0)
  }

  @Test("A closed queue sends the rest of a frame that has begun, and nothing else") func closedQueue() {
    var transmitter = transmitter()
    transmitter.enqueue(frame(Array(repeating: 7, count: 40)), inQueue: a, 1)
    transmitter.enqueue(frame([8]), inQueue: a, 1)
    transmitter.enqueue(frame([9]), inQueue: b, 1)
    #expect(next(&transmitter) == [0x40, 7])
    transmitter.closeQueue(a, 1)
    // The peer has given the identifier to another channel meanwhile.
    transmitter.enqueue(frame([3]), inQueue: a, 1)
    #expect(transmitter.queuedFrames(of: a, 1) == 1)
    #expect(next(&transmitter) == [7])
    #expect(next(&transmitter) == [0x41, 9])
    #expect(next(&transmitter) == [0x40, 3])
    #expect(next(&transmitter) == nil)
    transmitter.enqueue(frame([4]), inQueue: a, 1)
    transmitter.closeQueue(a, 1)
    transmitter.closeQueue(b, 1)
    #expect(next(&transmitter) == nil)
    transmitter.enqueue(frame([5]), inQueue: b, 1)
    #expect(next(&transmitter) == [0x41, 5])
  }

  @Test("Frames of channels end with their link") func linkEnds() {
    var transmitter = transmitter(count: 4)
    for _ in 0..<4 { transmitter.enqueue(frame(Array(repeating: 7, count: 40)), inQueue: a, 1) }
    #expect(transmitter.nextPacket() != nil)
    transmitter.close(1)
    #expect(transmitter.nextPacket() == nil)
    transmitter.open(1)
    transmitter.enqueue(frame([1]), inQueue: a, 1)
    #expect(next(&transmitter) == [0x40, 1])
    transmitter.enqueue(frame([1]), inQueue: a, 2)
    #expect(next(&transmitter) == nil)
  }
}
