package import LatchkeyByteCoding

/// An ACL data packet (Core 6.0 Vol 4 Part E 5.4.2): a whole L2CAP PDU or a fragment of one.
package struct ACLPacket: Sendable {
  /// The Packet_Boundary_Flag.
  package enum Boundary: UInt8, Sendable {
    /// The first fragment of a PDU, host to controller.
    case firstNonFlushable = 0b00
    /// A later fragment.
    case continuing = 0b01
    /// The first fragment of a PDU, controller to host.
    case firstFlushable = 0b10
    /// Never used on LE.
    case complete = 0b11
  }

  /// The number of bytes before the data: indicator, handle and flags, length.
  package static let headerCount = 5

  package var connectionHandle: ConnectionHandle
  package var boundary: Boundary
  /// The Broadcast_Flag: 0b00 on every LE-U link.
  package var broadcast: UInt8
  /// The data; shares its storage with the packet.
  package var payload: ByteReader

  /// Reads a whole H4 packet; its length must match its length field.
  package init(decoding packet: [UInt8]) throws(ByteCodingError) {
    self.init(packet, handleAndFlags: try Self.handleAndFlags(of: packet))
  }

  /// A whole H4 packet whose header was read by `handleAndFlags(of:)`.
  init(_ packet: [UInt8], handleAndFlags: UInt16) {
    connectionHandle = ConnectionHandle(rawValue: handleAndFlags)
    boundary = Self.boundary(of: handleAndFlags)
    broadcast = UInt8(truncatingIfNeeded: handleAndFlags >> 14)
    payload = ByteReader(packet, from: Self.headerCount)
  }

  /// The handle and the flags of a whole H4 packet, whose length must match its length field. Each packet passes here four
  /// times on its way, so the header is read in place.
  package static func handleAndFlags(of packet: borrowing [UInt8]) throws(ByteCodingError) -> UInt16 {
    let count = packet.count
    guard count >= headerCount else {
      throw .truncated(field: "ACL header", needed: headerCount, available: count)
    }
    guard packet[0] == HCIPacketType.acl.rawValue else { throw .invalidValue(field: "packet indicator") }
    let length = Int(packet[3]) | Int(packet[4]) << 8
    guard count - headerCount >= length else {
      throw .truncated(field: "ACL data", needed: length, available: count - headerCount)
    }
    guard count - headerCount == length else {
      throw .trailingBytes(structure: "ACL data", count: count - headerCount - length)
    }
    return UInt16(packet[1]) | UInt16(packet[2]) << 8
  }

  /// The Packet_Boundary_Flag of a header.
  package static func boundary(of handleAndFlags: UInt16) -> Boundary {
    switch handleAndFlags >> 12 & 0b11 {
    case 0b00: .firstNonFlushable
    case 0b01: .continuing
    case 0b10: .firstFlushable
    default: .complete
    }
  }

  /// Writes the header over the first five bytes of `packet`, which precede its data.
  ///
  /// The packet's data must not be longer than 65535 bytes, the limit of its length field.
  package static func patchHeader(of packet: inout [UInt8], _ handle: ConnectionHandle, _ boundary: Boundary) {
    packet.patchUInt8(HCIPacketType.acl.rawValue, at: 0)
    packet.patchUInt16(handle.rawValue | UInt16(boundary.rawValue) << 12, at: 1)
    packet.patchUInt16(UInt16(truncatingIfNeeded: packet.count - headerCount), at: 3)
  }

  /// A whole H4 packet with a copy of `data`, at most 65535 bytes.
  package static func encode(_ handle: ConnectionHandle, _ boundary: Boundary, data: ByteReader) -> [UInt8] {
    var writer = ByteWriter(capacity: headerCount + data.remaining)
    writer.uint8(HCIPacketType.acl.rawValue)
    writer.uint16(handle.rawValue | UInt16(boundary.rawValue) << 12)
    writer.uint16(UInt16(truncatingIfNeeded: data.remaining))
    writer.append(data)
    return writer.bytes
  }
}
