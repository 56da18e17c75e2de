package import LatchkeyByteCoding

// Flow control of data towards the host (Core 6.0 Vol 4 Part E).

/// Turns the flow control of data towards the host on or off; not allowed while there are links (7.3.38).
package struct HCISetControllerToHostFlowControl: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.setControllerToHostFlowControl

  /// Whether the controller holds back ACL packets for the host; the bit for synchronous packets has no use on LE.
  package var isOnForACL: Bool

  package init(isOnForACL: Bool) {
    self.isOnForACL = isOnForACL
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    switch try reader.uint8("Flow_Control_Enable") {
    case 0x00, 0x02: isOnForACL = false
    case 0x01, 0x03: isOnForACL = true
    default: throw .invalidValue(field: "Flow_Control_Enable")
    }
  }

  package func encode(into writer: inout ByteWriter) {
    writer.flag(isOnForACL)
  }
}

/// Sets the buffers that the host has (7.3.39).
package struct HCIHostBufferSize: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.hostBufferSize

  /// Bytes of data in one ACL packet.
  package var aclPacketLength: UInt16
  package var synchronousPacketLength: UInt8
  package var aclPacketCount: UInt16
  package var synchronousPacketCount: UInt16

  package init(
    aclPacketLength: UInt16, synchronousPacketLength: UInt8 = 0, aclPacketCount: UInt16,
    synchronousPacketCount: UInt16 = 0
  ) {
    self.aclPacketLength = aclPacketLength
    self.synchronousPacketLength = synchronousPacketLength
    self.aclPacketCount = aclPacketCount
    self.synchronousPacketCount = synchronousPacketCount
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    aclPacketLength = try reader.uint16("Host_ACL_Data_Packet_Length")
    synchronousPacketLength = try reader.uint8("Host_Synchronous_Data_Packet_Length")
    aclPacketCount = try reader.uint16("Host_Total_Num_ACL_Data_Packets")
    synchronousPacketCount = try reader.uint16("Host_Total_Num_Synchronous_Data_Packets")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint16(aclPacketLength)
    writer.uint8(synchronousPacketLength)
    writer.uint16(aclPacketCount)
    writer.uint16(synchronousPacketCount)
  }
}

/// Returns buffers of the host to the controller (7.3.40).
///
/// It needs no command credit and has no answer, so it never enters `HCICommandQueue`; a Command Complete for it only
/// reports an error.
package struct HCIHostNumberOfCompletedPackets: HCICommand {
  package static let opcode = HCIOpcode.hostNumberOfCompletedPackets

  package struct Entry: Sendable, Equatable {
    package var connectionHandle: ConnectionHandle
    package var count: UInt16

    package init(connectionHandle: ConnectionHandle, count: UInt16) {
      self.connectionHandle = connectionHandle
      self.count = count
    }
  }

  /// At most 63, the limit of a command's length field.
  package var entries: [Entry]

  package init(_ entries: [Entry]) { self.entries = entries }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    entries = []
    for _ in 0..<(try reader.uint8("Num_Handles")) {
      let handle = try ConnectionHandle(from: &reader)
      entries.append(Entry(connectionHandle: handle, count: try reader.uint16("Host_Num_Completed_Packets")))
    }
  }

  package func encode(into writer: inout ByteWriter) {
    let sent = entries.prefix(63)
    writer.uint8(UInt8(sent.count))
    for entry in sent {
      entry.connectionHandle.encode(into: &writer)
      writer.uint16(entry.count)
    }
  }

  /// The whole H4 packet for one handle, encoded directly: one is sent for every packet that the host has processed.
  package static func packet(_ handle: ConnectionHandle, count: UInt16) -> [UInt8] {
    var writer = ByteWriter(capacity: 9)
    writer.uint8(HCIPacketType.command.rawValue)
    opcode.encode(into: &writer)
    writer.uint8(5)
    writer.uint8(1)
    handle.encode(into: &writer)
    writer.uint16(count)
    return writer.bytes
  }
}
