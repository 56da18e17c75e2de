import LatchkeyByteCoding

/// The btsnoop capture format: RFC 1761's snoop with Bluetooth's link types, flags and epoch. All numbers are big endian.
enum SnoopFormat {
  /// The type of a file's records.
  enum LinkType: UInt32 {
    /// The H4 packets of one controller, their indicator first.
    case h4 = 1002
    /// Records of Linux's monitor channel for several controllers, each with a number (`doc/btmon.txt` of BlueZ).
    case monitor = 2001
  }

  /// From the first instant of year 0, in the proleptic Gregorian calendar, to 1970, microseconds.
  static let epochOffset: UInt64 = 62_168_256_000_000_000

  /// The header of a file.
  static func fileHeader(_ linkType: LinkType) -> [UInt8] {
    var writer = ByteWriter(capacity: 16)
    writer.append("btsnoop\0".utf8)
    writer.uint32BigEndian(1)  // version
    writer.uint32BigEndian(linkType.rawValue)
    return writer.bytes
  }

  /// The record of one whole H4 packet.
  ///
  /// - Parameter time: since 1970.
  static func record(_ packet: [UInt8], _ direction: PacketDirection, time: Duration) -> [UInt8] {
    record(packet[...], flags: flags(packet.first, direction), time: time)
  }

  /// The record of one whole H4 packet of the controller of this number.
  ///
  /// - Parameter time: since 1970.
  static func record(
    _ packet: [UInt8], _ direction: PacketDirection, of index: UInt16, time: Duration
  ) -> [UInt8] {
    guard let opcode = MonitorOpcode(indicator: packet.first, direction) else {
      return record(packet[...], flags: MonitorOpcode.vendorDiagnostics.flags(of: index), time: time)
    }
    return record(packet.dropFirst(), flags: opcode.flags(of: index), time: time)
  }

  /// The record that the controller of this number is present from now on.
  ///
  /// - Parameter name: truncated to 8 bytes.
  static func arrival(of index: UInt16, name: String, time: Duration) -> [UInt8] {
    var writer = ByteWriter(capacity: 16)
    writer.uint8(0)  // a primary controller
    writer.uint8(0)  // a virtual bus
    writer.append([UInt8](repeating: 0, count: 6))  // the address is not known yet
    writer.append((Array(name.utf8) + [UInt8](repeating: 0, count: 8)).prefix(8))
    return record(writer.bytes[...], flags: MonitorOpcode.newIndex.flags(of: index), time: time)
  }

  /// The record that it is gone.
  static func departure(of index: UInt16, time: Duration) -> [UInt8] {
    record([], flags: MonitorOpcode.deleteIndex.flags(of: index), time: time)
  }

  private static func record(_ packet: ArraySlice<UInt8>, flags: UInt32, time: Duration) -> [UInt8] {
    var writer = ByteWriter(capacity: 24 + packet.count)
    writer.uint32BigEndian(UInt32(clamping: packet.count))  // original length
    writer.uint32BigEndian(UInt32(clamping: packet.count))  // included length: nothing is cut off
    writer.uint32BigEndian(flags)
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

/// The type of a record of the monitor channel: the lower half of its flags; the upper half is the controller's number.
private enum MonitorOpcode: UInt16 {
  case newIndex = 0
  case deleteIndex = 1
  case command = 2
  case event = 3
  case sentACL = 4
  case receivedACL = 5
  case sentSCO = 6
  case receivedSCO = 7
  case vendorDiagnostics = 11
  case sentISO = 18
  case receivedISO = 19

  /// The type of an H4 packet; nil for an unknown indicator.
  init?(indicator: UInt8?, _ direction: PacketDirection) {
    switch (indicator, direction) {
    case (0x01, _): self = .command
    case (0x02, .toController): self = .sentACL
    case (0x02, .fromController): self = .receivedACL
    case (0x03, .toController): self = .sentSCO
    case (0x03, .fromController): self = .receivedSCO
    case (0x04, _): self = .event
    case (0x05, .toController): self = .sentISO
    case (0x05, .fromController): self = .receivedISO
    default: return nil
    }
  }

  func flags(of index: UInt16) -> UInt32 { UInt32(index) << 16 | UInt32(rawValue) }
}

/// The direction of an H4 packet.
package enum PacketDirection: Sendable {
  /// From the host.
  case toController
  /// To the host.
  case fromController
}
