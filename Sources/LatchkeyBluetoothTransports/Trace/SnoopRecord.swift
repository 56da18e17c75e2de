import LatchkeyByteCoding

// How records are written.
extension SnoopFormat {
  /// The header of a file.
  static func fileHeader(_ linkType: LinkType) -> [UInt8] {
    var writer = ByteWriter(capacity: 16)
    writer.append(magic)
    writer.uint32BigEndian(version)
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
