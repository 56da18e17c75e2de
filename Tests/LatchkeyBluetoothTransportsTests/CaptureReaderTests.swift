import LatchkeyBluetoothHost
import Testing

@testable import LatchkeyBluetoothTransports

/// Captures of others, byte by byte.
struct CaptureReaderTests {
  private static let header = SnoopFormat.fileHeader(.h4)

  /// A record of btsnoop.
  private static func record(
    _ data: [UInt8], original: UInt8? = nil, included: UInt8? = nil, flags: [UInt8] = [0, 0, 0, 2], second: UInt8 = 1
  ) -> [UInt8] {
    let time: UInt64 = 0x00DC_DDB3_0F2F_8000 + UInt64(second) * 1_000_000
    var record: [UInt8] = [0, 0, 0, original ?? UInt8(data.count)]
    record += [0, 0, 0, included ?? UInt8(data.count)] as [UInt8]
    record += flags
    record += [0, 0, 0, 0] as [UInt8]
    record += withUnsafeBytes(of: time.bigEndian, Array.init)
    return record + data
  }

  private func read(_ bytes: [UInt8]) throws -> (packets: [CapturedPacket], reader: CaptureReader) {
    var reader = try CaptureReader(bytes)
    var packets: [CapturedPacket] = []
    while let packet = try reader.next() { packets.append(packet) }
    return (packets, reader)
  }

  private func error(_ bytes: [UInt8]) -> String? {
    do {
      _ = try read(bytes)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("What is written is read as the same, of one controller and of several")
  func written() throws {
    let packets: [CapturedPacket] = [
      CapturedPacket(time: .seconds(1), .toController, [1, 3, 0x0C, 0]),
      CapturedPacket(time: .seconds(2), .fromController, [4, 0x0E, 0]),
      CapturedPacket(time: .seconds(3), .toController, [2, 0x40, 0, 1, 0, 7]),
      CapturedPacket(time: .microseconds(4_000_001), .fromController, [2, 0x40, 0x20, 0, 0]),
      CapturedPacket(time: .seconds(5), .toController, [5, 0, 0, 0, 0]),
      CapturedPacket(time: .seconds(6), .fromController, [3, 0, 0, 0]),
    ]
    var h4 = Self.header
    var monitor = SnoopFormat.fileHeader(.monitor) + SnoopFormat.arrival(of: 9, name: "a", time: .seconds(1))
    for packet in packets {
      h4 += SnoopFormat.record(packet.bytes, packet.direction, time: packet.time)
      monitor += SnoopFormat.record(packet.bytes, packet.direction, of: 9, time: packet.time)
    }
    monitor += SnoopFormat.departure(of: 9, time: .seconds(7))
    #expect(try read(h4).packets == packets)
    let several = try read(monitor)
    #expect(several.packets.map(\.bytes) == packets.map(\.bytes))
    #expect(several.packets.map(\.time) == packets.map(\.time))
    #expect(several.packets.allSatisfy { $0.controller == 9 } && several.reader.otherRecords == 2)
  }

  @Test("In records without indicators the flags tell what a packet is")
  func plainRecords() throws {
    let file = SnoopFormat.fileHeader(.plain)
    let records = [UInt8(0), 1, 2, 3].flatMap { Self.record([9], flags: [0, 0, 0, $0]) }
    let packets = try read(file + records).packets
    #expect(packets.map(\.bytes) == [[2, 9], [2, 9], [1, 9], [4, 9]])
    #expect(packets.map(\.direction) == [.toController, .fromController, .toController, .fromController])
  }

  @Test("A packet that was cut when it was captured is left out and counted")
  func cutPackets() throws {
    let (packets, reader) = try read(Self.header + Self.record([1, 2], original: 9) + Self.record([1, 3, 0x0C, 0]))
    #expect(packets.map(\.bytes) == [[1, 3, 0x0C, 0]])
    #expect(reader.cutRecords == 1 && !reader.isTruncated)
  }

  @Test("Wherever the last record is cut, those before it are read")
  func truncation() throws {
    let whole = Self.header + Self.record([1, 3, 0x0C, 0])
    let last = Self.record([1, 1, 0x0C, 0])
    for count in 1..<last.count {
      let (packets, reader) = try read(whole + last.prefix(count))
      #expect(packets.count == 1 && reader.isTruncated, "\(count)")
    }
    #expect(try !read(whole + last).reader.isTruncated)
  }

  @Test("A file that is no capture is refused, and one of another kind is named")
  func refusals() {
    #expect(error([]) == "this is neither a btsnoop nor a PacketLogger capture")
    #expect(error(Array("hello, world, hello".utf8)) == "this is neither a btsnoop nor a PacketLogger capture")
    #expect(error(Array(Self.header.prefix(12))) == "the btsnoop file ends within its header, at byte 8")
    var version = Self.header
    version[11] = 2
    #expect(error(version) == "the btsnoop file is of version 2, not 1, at byte 8")
    var type = Self.header
    type[15] = 0
    #expect(
      error(type) == "the btsnoop file has records of type 768; 1001, 1002 and 2001 are known here, at byte 12")
  }

  @Test("Lengths that no packet has are refused with their place")
  func lengths() {
    let good = Self.header + Self.record([1, 3, 0x0C, 0])
    #expect(error(good + Self.record([1], original: 0)) == "a record has 1 bytes of a packet of 0, at byte 44")
    let long: [UInt8] = [0, 0x20, 0, 0, 0, 0x20, 0, 0] + [UInt8](repeating: 0, count: 16)
    #expect(error(good + long) == "a record has 2097152 bytes, more than any packet, at byte 44")
  }

  // MARK: PacketLogger

  /// A record of PacketLogger.
  private static func logged(_ type: UInt8, _ data: [UInt8], isLittleEndian: Bool = false) -> [UInt8] {
    func number(_ number: UInt32) -> [UInt8] {
      withUnsafeBytes(of: isLittleEndian ? number.littleEndian : number.bigEndian, Array.init)
    }
    var record = number(UInt32(9 + data.count))
    record += number(100)
    record += number(250_000)
    return record + [type] + data
  }

  @Test("PacketLogger's records are read in both byte orders", arguments: [false, true])
  func packetLogger(isLittleEndian: Bool) throws {
    let types: [UInt8] = [0xFC, 0x00, 0x01, 0x02, 0x03, 0x08, 0x09, 0x0B, 0xFE, 0x42]
    let file = types.flatMap { Self.logged($0, [7], isLittleEndian: isLittleEndian) }
    let (packets, reader) = try read(file)
    #expect(packets.map(\.bytes) == [[1, 7], [4, 7], [2, 7], [2, 7], [3, 7], [3, 7]])
    let directions: [PacketDirection] = [.toController, .fromController]
    #expect(packets.map(\.direction) == directions + directions + directions)
    #expect(packets.allSatisfy { $0.time == .milliseconds(100_250) } && reader.otherRecords == 4)
    #expect(CaptureReader.recognizes(file))
  }

  @Test("A damaged length of PacketLogger is refused with its place, and the end of the file is one")
  func packetLoggerDamage() throws {
    let good = Self.logged(0, [3, 0x0C, 0])
    #expect(
      error(good + [0, 0, 0, 8] + good.dropFirst(4)) == "a PacketLogger record has a length of 8 bytes, at byte 16")
    #expect(
      error(good + [0xFF, 0, 0, 0] + good.dropFirst(4))
        == "a PacketLogger record has a length of 4278190080 bytes, at byte 16")
    for count in 1..<good.count {
      let (packets, reader) = try read(good + good.prefix(count))
      #expect(packets.count == 1 && reader.isTruncated)
    }
  }

  @Test("The first record of PacketLogger has a known type and a time")
  func recognition() {
    #expect(!CaptureReader.recognizes(Self.logged(0x42, [7])))
    var time = Self.logged(0, [7])
    time[8] = 0x10
    #expect(!CaptureReader.recognizes(time))
    #expect(!CaptureReader.recognizes(Array(Self.logged(0, [7]).prefix(12))))
  }
}
