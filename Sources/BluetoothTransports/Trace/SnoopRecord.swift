import ByteCoding

/// The btsnoop capture format: RFC 1761's snoop with Bluetooth's link types, flags and epoch. All numbers are big endian.
enum SnoopFormat {
  /// The link type of records that are H4 packets, their indicator first.
  static let linkTypeH4: UInt32 = 1002
  /// From the first instant of year 0, in the proleptic Gregorian calendar, to 1970, microseconds.
  static let epochOffset: UInt64 = 62_168_256_000_000_000

  /// What a file begins with.
  static var fileHeader: [UInt8] {
    var writer = ByteWriter(capacity: 16)
    writer.append("btsnoop\0".utf8)
    writer.uint32BigEndian(1)  // version
    writer.uint32BigEndian(linkTypeH4)
    return writer.bytes
  }

  /// The record of one whole H4 packet.
  ///
  /// - Parameter time: since 1970.
  static func record(_ packet: [UInt8], _ direction: PacketDirection, time: Duration) -> [UInt8] {
    var writer = ByteWriter(capacity: 24 + packet.count)
    writer.uint32BigEndian(UInt32(clamping: packet.count))  // original length
    writer.uint32BigEndian(UInt32(clamping: packet.count))  // included length: nothing is cut off
    writer.uint32BigEndian(flags(packet.first, direction))
    writer.uint32BigEndian(0)  // packets dropped before this one
    writer.uint64BigEndian(epochOffset &+ UInt64(time.clampedNanoseconds / 1000))
    writer.append(packet)
    return writer.bytes
  }

  /// Bit 0: received by the host; bit 1: a command or an event, not data.
  private static func flags(_ indicator: UInt8?, _ direction: PacketDirection) -> UInt32 {
    let isControl = indicator == 0x01 || indicator == 0x04
    return (direction == .fromController ? 1 : 0) | (isControl ? 2 : 0)
  }
}

/// Which way an H4 packet went.
package enum PacketDirection: Sendable {
  /// From the host.
  case toController
  /// To the host.
  case fromController
}
