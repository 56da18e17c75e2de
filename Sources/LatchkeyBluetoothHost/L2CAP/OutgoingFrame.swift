package import LatchkeyByteCoding

/// How an L2CAP PDU is built on its way down: one array from the upper layer to the transport.
///
/// The array begins with space for the headers of all lower layers, which `ACLTransmitter` fills in place:
///
///     0     1..2               3..4         5..6           7..8  9...
///     0x02  handle and flags   ACL length   L2CAP length   CID   payload
///
/// Core 6.0 Vol 4 Part A 2 (indicator), Vol 4 Part E 5.4.2 (ACL), Vol 3 Part A 3.1 (basic L2CAP header).
package enum OutgoingFrame {
  /// The number of bytes before the payload.
  package static let headroom = 9
  /// Where the ACL packet's data, hence the L2CAP header, begins.
  package static let l2capOffset = 5
  /// The longest payload that the 16-bit L2CAP length can express.
  package static let maximumPayload = 0xFFFF

  /// A writer for a frame's payload.
  package static func writer(capacity: Int = 32) -> ByteWriter {
    ByteWriter(headroom: headroom, capacity: capacity)
  }

  /// Writes all headers over the headroom of `frame`, as for one ACL packet that holds the whole PDU. A longer frame is
  /// fragmented, and its fragments get ACL headers of their own.
  static func fillHeadroom(
    of frame: inout [UInt8], _ channel: L2CAPChannelID, _ handle: ConnectionHandle, _ payloadCount: Int
  ) {
    frame.patchUInt8(HCIPacketType.acl.rawValue, at: 0)
    let aclLength = UInt64(UInt16(truncatingIfNeeded: payloadCount + headroom - l2capOffset))
    let l2capLength = UInt64(UInt16(truncatingIfNeeded: payloadCount))
    let handleAndFlags = UInt64(handle.rawValue)
    frame.patchUInt64(
      handleAndFlags | aclLength << 16 | l2capLength << 32 | UInt64(channel.rawValue) << 48, at: 1)
  }
}

/// The fixed L2CAP channels of LE (Core 6.0 Vol 3 Part A 2.1, table 2.3).
package struct L2CAPChannelID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The Attribute protocol.
  package static let attribute = L2CAPChannelID(rawValue: 0x0004)
  /// LE signalling.
  package static let signalling = L2CAPChannelID(rawValue: 0x0005)
  /// The Security Manager protocol.
  package static let securityManager = L2CAPChannelID(rawValue: 0x0006)
}
