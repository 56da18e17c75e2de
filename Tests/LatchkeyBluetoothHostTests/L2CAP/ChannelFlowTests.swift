import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("The receiving half of a channel") struct ChannelReceiverTests {
  private func receiver(mtu: UInt16 = 60, mps: UInt16 = 23, credits: UInt16 = 8) -> ChannelReceiver {
    ChannelReceiver(ChannelParameters(mtu: mtu, mps: mps, credits: credits))
  }

  private func receive(_ bytes: [UInt8], _ receiver: inout ChannelReceiver) throws -> [UInt8]? {
    try receiver.receive(ByteReader(bytes))
  }

  @Test("One frame is an SDU with its length before it") func oneFrame() throws {
    var receiver = receiver()
    #expect(try receive([0x03, 0x00, 0xA1, 0xA2, 0xA3], &receiver) == [0xA1, 0xA2, 0xA3])
    #expect(receiver.credits == 7)
  }

  @Test("Only the first frame of an SDU has a length") func severalFrames() throws {
    var receiver = receiver()
    #expect(try receive([0x05, 0x00, 1, 2], &receiver) == nil)
    #expect(try receive([3], &receiver) == nil)
    #expect(try receive([], &receiver) == nil)
    #expect(try receive([4, 5], &receiver) == [1, 2, 3, 4, 5])
    #expect(try receive([0x01, 0x00, 9], &receiver) == [9])
  }

  @Test("An empty SDU is dropped, and the next one is received") func emptySDU() throws {
    var receiver = receiver()
    #expect(try receive([0x00, 0x00], &receiver) == nil)
    #expect(try receive([0x01, 0x00, 7], &receiver) == [7])
  }

  @Test("A frame without a credit ends the channel") func withoutCredit() throws {
    var receiver = receiver(credits: 2)
    for _ in 0..<2 { #expect(try receive([0x01, 0x00, 7], &receiver) == [7]) }
    #expect(throws: ChannelViolation.frameWithoutCredit) { try receive([0x01, 0x00, 7], &receiver) }
  }

  @Test("A frame of the MPS is received, and a longer one ends the channel") func longestFrame() throws {
    var receiver = receiver()
    #expect(try receive([21, 0x00] + Array(repeating: 1, count: 21), &receiver)?.count == 21)
    #expect(throws: ChannelViolation.frameTooLong) {
      try receive([22, 0x00] + Array(repeating: 1, count: 22), &receiver)
    }
    var second = self.receiver()
    #expect(try receive([60, 0x00] + Array(repeating: 1, count: 21), &second) == nil)
    #expect(throws: ChannelViolation.frameTooLong) { try receive(Array(repeating: 1, count: 24), &second) }
  }

  @Test("A first frame shorter than a length ends the channel", arguments: [[], [0x01]] as [[UInt8]])
  func noLength(_ frame: [UInt8]) {
    var receiver = receiver()
    #expect(throws: ChannelViolation.noLength) { try receive(frame, &receiver) }
  }

  @Test("An SDU of the MTU is received, and a longer one ends the channel") func longestSDU() throws {
    var receiver = receiver()
    #expect(try receive([60, 0x00] + Array(repeating: 1, count: 21), &receiver) == nil)
    #expect(try receive(Array(repeating: 2, count: 23), &receiver) == nil)
    #expect(try receive(Array(repeating: 3, count: 16), &receiver)?.count == 60)
    #expect(throws: ChannelViolation.dataTooLong) { try receive([61, 0x00, 1], &receiver) }
    #expect(throws: ChannelViolation.dataTooLong) { try receive([0xFF, 0xFF, 1], &receiver) }
  }

  @Test("More than an SDU's length ends the channel") func excess() throws {
    var receiver = receiver()
    #expect(throws: ChannelViolation.excessData) { try receive([0x00, 0x00, 1], &receiver) }
    #expect(throws: ChannelViolation.excessData) { try receive([0x02, 0x00, 1, 2, 3], &receiver) }
    var second = self.receiver()
    #expect(try receive([0x04, 0x00, 1, 2], &second) == nil)
    #expect(throws: ChannelViolation.excessData) { try receive([3, 4, 5], &second) }
  }

  @Test("Credits come back in halves of the window, for what was consumed") func creditsComeBack() throws {
    var receiver = receiver()
    for _ in 0..<4 { _ = try receive([0x01, 0x00, 7], &receiver) }
    #expect(receiver.creditsToReturn() == nil)
    receiver.consumed(3)
    #expect(receiver.creditsToReturn() == nil)
    receiver.consumed(1)
    #expect(receiver.creditsToReturn() == 4)
    #expect(receiver.credits == 8)
    #expect(receiver.creditsToReturn() == nil)
    receiver.consumed(100)
    #expect(receiver.creditsToReturn() == nil)
    #expect(receiver.credits == 8)
  }

  @Test("A peer that sends short frames can complete an SDU") func shortFrames() throws {
    var receiver = receiver()
    #expect(try receive([60, 0x00], &receiver) == nil)
    var sdu: [UInt8]?
    for byte in 0..<60 as Range<UInt8> {
      #expect(receiver.credits > 0)
      sdu = try receive([byte], &receiver)
      _ = receiver.creditsToReturn()
    }
    #expect(sdu == Array(0..<60))
  }

  /// An app that reads nothing: whatever a peer sends, what waits is bounded by the window.
  @Test("What waits is bounded in bytes and in SDUs", arguments: 0..<20) func bounded(_ seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    var receiver = receiver()
    var (bytes, count) = (0, 0)
    while receiver.credits > 0 {
      let length = Int(random.next() % 22)
      if let sdu = try receive([UInt8(length), 0x00] + Array(repeating: 0, count: length), &receiver) {
        bytes += sdu.count
        count += 1
      }
      _ = receiver.creditsToReturn()
    }
    #expect(bytes <= 8 * 23)
    #expect(count <= 8)
  }
}

@Suite("The sending half of a channel") struct ChannelSenderTests {
  private func sender(mtu: UInt16 = 100, mps: UInt16 = 50, credits: UInt16 = 10) -> ChannelSender {
    ChannelSender(ChannelParameters(mtu: mtu, mps: mps, credits: credits))
  }

  private func write(_ bytes: [UInt8], _ sender: inout ChannelSender) -> Int {
    bytes.withUnsafeBytes { sender.write($0) }
  }

  private func frames(_ sender: inout ChannelSender, packetLength: Int = 251) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    while let frame = sender.nextFrame(packetLength: packetLength) {
      frames.append(Array(frame.dropFirst(OutgoingFrame.headroom)))
    }
    return frames
  }

  @Test("A write is an SDU, its length before it") func oneSDU() {
    var sender = sender()
    #expect(write([1, 2, 3], &sender) == 3)
    #expect(write([4], &sender) == 1)
    #expect(frames(&sender) == [[0x03, 0x00, 1, 2, 3], [0x01, 0x00, 4]])
    #expect(sender.credits == 8)
    #expect(sender.isEmpty)
  }

  @Test("A write longer than the MTU is several SDUs, and an SDU longer than the MPS several frames")
  func segmentation() {
    var sender = sender()
    let bytes = (0..<130).map { UInt8($0) }
    #expect(write(bytes, &sender) == 130)
    let first: [UInt8] = [100, 0x00] + bytes[0..<48]
    let last: [UInt8] = [30, 0x00] + bytes[100..<130]
    #expect(frames(&sender) == [first, Array(bytes[48..<98]), Array(bytes[98..<100]), last])
  }

  @Test("Frames fit into one packet") func framesFitIntoPackets() {
    var sender = sender()
    _ = write(Array(repeating: 1, count: 100), &sender)
    #expect(frames(&sender, packetLength: 27).map(\.count) == [23, 23, 23, 23, 10])
  }

  @Test("Frames are as long as the peer takes them if its credits would not do for the SDU") func fewCredits() {
    var sender = sender(credits: 3)
    _ = write(Array(repeating: 1, count: 100), &sender)
    #expect(frames(&sender, packetLength: 27).map(\.count) == [50, 50, 2])
  }

  @Test("Without credits nothing is sent, and with more it goes on") func creditsStop() throws {
    var sender = sender(mps: 23, credits: 1)
    _ = write(Array(repeating: 1, count: 50), &sender)
    #expect(frames(&sender).count == 1)
    try sender.add(credits: 1)
    #expect(frames(&sender).count == 1)
    try sender.add(credits: 5)
    #expect(frames(&sender) == [Array(repeating: 1, count: 6)])
    #expect(sender.credits == 4)
  }

  @Test("Credits of none, or beyond 65 535, end the channel") func invalidCredits() throws {
    var sender = sender(credits: 65534)
    #expect(throws: ChannelViolation.invalidCredits) { try sender.add(credits: 0) }
    #expect(throws: ChannelViolation.invalidCredits) { try sender.add(credits: 2) }
    try sender.add(credits: 1)
    #expect(sender.credits == 65535)
    #expect(throws: ChannelViolation.invalidCredits) { try sender.add(credits: 1) }
  }

  @Test("A full queue takes what fits, and reports once that half of it is free") func fullQueue() throws {
    var sender = sender(mtu: 65535, mps: 65533, credits: 0)
    #expect(write(Array(repeating: 1, count: 30000), &sender) == 30000)
    #expect(sender.canWrite() == true)
    #expect(sender.becameWritable() == false)
    #expect(write(Array(repeating: 1, count: 30000), &sender) == ChannelSender.capacity - 30000)
    #expect(sender.canWrite() == false)
    #expect(write([1], &sender) == 0)
    #expect(sender.becameWritable() == false)
    try sender.add(credits: 1)
    #expect(frames(&sender, packetLength: 65535).count == 1)
    #expect(sender.becameWritable() == true)
    #expect(sender.becameWritable() == false)
  }

  @Test("Many short writes fill the queue") func shortWrites() {
    var sender = sender(credits: 0)
    var count = 0
    while write([1], &sender) == 1 { count += 1 }
    #expect(count == ChannelSender.mostSDUs)
  }

  @Test("An end that offers less than the specification allows is treated as one that offers the least")
  func leastLengths() {
    var sender = sender(mtu: 0, mps: 0)
    #expect(write(Array(repeating: 1, count: 30), &sender) == 30)
    #expect(frames(&sender).map(\.count) == [23, 2, 9])
  }

  /// Both halves together, with limits and writes of all sorts, and an app that reads now and then.
  @Test("What one half sends the other receives, with the same borders", arguments: 0..<50)
  func roundTrip(_ seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let parameters = ChannelParameters(
      mtu: UInt16(23 + random.next() % 300), mps: UInt16(23 + random.next() % 120),
      credits: UInt16(random.next() % 40))
    var receiver = ChannelReceiver(parameters)
    var sender = ChannelSender(parameters)
    if let credits = receiver.creditsToReturn() { try sender.add(credits: credits) }
    var (written, received): ([[UInt8]], [[UInt8]]) = ([], [])
    for _ in 0..<2000 {
      let length = Int(random.next() % UInt64(parameters.mtu + 1))
      let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let count = write(bytes, &sender)
      if count > 0 { written.append(Array(bytes[..<count])) }
      for _ in 0..<random.next() % 6 {
        guard let frame = sender.nextFrame(packetLength: Int(27 + random.next() % 225)) else { break }
        if let sdu = try receiver.receive(ByteReader(frame, from: OutgoingFrame.headroom)) { received.append(sdu) }
      }
      receiver.consumed(Int(random.next() % 4))
      if let credits = receiver.creditsToReturn() { try sender.add(credits: credits) }
      #expect(sender.credits == receiver.credits)
    }
    #expect(received.count > 50)
    #expect(received == Array(written.prefix(received.count)))
  }
}
