import LatchkeyByteCoding

// How records are read.
extension SnoopFormat {
  /// The bytes of a record before its packet.
  private static let recordHeader = 24

  /// Reads the header of a file.
  static func readFileHeader(_ reader: inout ByteReader) throws(CaptureError) -> LinkType {
    guard (try? reader.skip(magic.count, "magic")) != nil, let version = try? reader.uint32BigEndian("version"),
      let number = try? reader.uint32BigEndian("link type")
    else { throw CaptureError(offset: 8, "the btsnoop file ends within its header") }
    guard version == Self.version else {
      throw CaptureError(offset: 8, "the btsnoop file is of version \(version), not \(Self.version)")
    }
    guard let linkType = LinkType(rawValue: number) else {
      throw CaptureError(
        offset: 12, "the btsnoop file has records of type \(number); 1001, 1002 and 2001 are known here")
    }
    return linkType
  }

  /// Reads one record.
  ///
  /// - Parameter offset: where it begins in the file.
  static func readRecord(
    _ linkType: LinkType, _ reader: inout ByteReader, at offset: Int
  ) throws(CaptureError) -> RecordResult {
    guard reader.remaining >= recordHeader, let original = try? reader.uint32BigEndian("original length"),
      let included = try? reader.uint32BigEndian("included length"), let flags = try? reader.uint32BigEndian("flags"),
      (try? reader.uint32BigEndian("drops")) != nil, let stamp = try? reader.uint64BigEndian("time")
    else { return .truncated }
    guard included <= original else {
      throw CaptureError(offset: offset, "a record has \(included) bytes of a packet of \(original)")
    }
    guard included <= CaptureReader.longestRecord else {
      throw CaptureError(offset: offset, "a record has \(included) bytes, more than any packet")
    }
    guard let data = try? reader.bytes(Int(included), "packet") else { return .truncated }
    guard included == original else { return .cut }
    let time = Duration.microseconds(Int64(bitPattern: stamp &- epochOffset))
    guard let packet = packet(data, flags: flags, linkType, time: time) else { return .other }
    return .packet(packet)
  }

  private static func packet(
    _ data: [UInt8], flags: UInt32, _ linkType: LinkType, time: Duration
  ) -> CapturedPacket? {
    let direction: PacketDirection = flags & 1 == 0 ? .toController : .fromController
    switch linkType {
    case .h4:
      guard !data.isEmpty else { return nil }
      return CapturedPacket(time: time, direction, data)
    case .plain:
      let isControl = flags & 2 != 0
      let indicator: UInt8 = !isControl ? 0x02 : direction == .toController ? 0x01 : 0x04
      return CapturedPacket(time: time, direction, [indicator] + data)
    case .monitor:
      guard let form = MonitorOpcode(rawValue: UInt16(truncatingIfNeeded: flags))?.form else { return nil }
      return CapturedPacket(
        time: time, controller: UInt16(truncatingIfNeeded: flags >> 16), form.direction, [form.indicator] + data)
    }
  }
}

extension MonitorOpcode {
  /// The indicator and the direction of the packets of this type; nil if they are no packets.
  fileprivate var form: (indicator: UInt8, direction: PacketDirection)? {
    switch self {
    case .command: (0x01, .toController)
    case .event: (0x04, .fromController)
    case .sentACL: (0x02, .toController)
    case .receivedACL: (0x02, .fromController)
    case .sentSCO: (0x03, .toController)
    case .receivedSCO: (0x03, .fromController)
    case .sentISO: (0x05, .toController)
    case .receivedISO: (0x05, .fromController)
    case .newIndex, .deleteIndex, .vendorDiagnostics: nil
    }
  }
}
