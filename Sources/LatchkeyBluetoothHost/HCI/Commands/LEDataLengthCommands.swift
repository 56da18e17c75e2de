package import LatchkeyByteCoding

// The length of packets on the air (Core 6.0 Vol 4 Part E).

/// Asks for the packet length of a link (7.8.33).
package struct HCILESetDataLength: HCISynchronousCommand {
  package typealias ReturnParameters = HCIConnectionReturnParameters
  package static let opcode = HCIOpcode.leSetDataLength

  package var connectionHandle: ConnectionHandle
  /// Bytes of data in one packet of the air, 27...251.
  package var maximumTransmitOctets: UInt16
  /// Microseconds, 328...17040.
  package var maximumTransmitTime: UInt16

  package init(connectionHandle: ConnectionHandle, maximumTransmitOctets: UInt16, maximumTransmitTime: UInt16) {
    self.connectionHandle = connectionHandle
    self.maximumTransmitOctets = maximumTransmitOctets
    self.maximumTransmitTime = maximumTransmitTime
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    connectionHandle = try ConnectionHandle(from: &reader)
    maximumTransmitOctets = try reader.uint16("TX_Octets")
    maximumTransmitTime = try reader.uint16("TX_Time")
  }

  package func encode(into writer: inout ByteWriter) {
    connectionHandle.encode(into: &writer)
    writer.uint16(maximumTransmitOctets)
    writer.uint16(maximumTransmitTime)
  }
}

/// Reads the packet length for new links (7.8.34).
package struct HCILEReadSuggestedDefaultDataLength: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.leReadSuggestedDefaultDataLength

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    /// Bytes of data in one packet of the air, 27...251.
    package var maximumTransmitOctets: UInt16
    /// Microseconds, 328...17040.
    package var maximumTransmitTime: UInt16

    package init(status: HCIStatus = .success, maximumTransmitOctets: UInt16, maximumTransmitTime: UInt16) {
      self.status = status
      self.maximumTransmitOctets = maximumTransmitOctets
      self.maximumTransmitTime = maximumTransmitTime
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      maximumTransmitOctets = try reader.uint16("Suggested_Max_TX_Octets")
      maximumTransmitTime = try reader.uint16("Suggested_Max_TX_Time")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.uint16(maximumTransmitOctets)
      writer.uint16(maximumTransmitTime)
    }
  }
}

/// Suggests the packet length for new links (7.8.35).
package struct HCILEWriteSuggestedDefaultDataLength: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leWriteSuggestedDefaultDataLength

  /// Bytes of data in one packet of the air, 27...251.
  package var maximumTransmitOctets: UInt16
  /// Microseconds, 328...17040.
  package var maximumTransmitTime: UInt16

  package init(maximumTransmitOctets: UInt16, maximumTransmitTime: UInt16) {
    self.maximumTransmitOctets = maximumTransmitOctets
    self.maximumTransmitTime = maximumTransmitTime
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    maximumTransmitOctets = try reader.uint16("Suggested_Max_TX_Octets")
    maximumTransmitTime = try reader.uint16("Suggested_Max_TX_Time")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint16(maximumTransmitOctets)
    writer.uint16(maximumTransmitTime)
  }
}

/// Reads the longest packets that the controller can do (7.8.46).
package struct HCILEReadMaximumDataLength: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.leReadMaximumDataLength

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    /// Bytes of data in one packet of the air, 27...251.
    package var maximumTransmitOctets: UInt16
    /// Microseconds, 328...17040.
    package var maximumTransmitTime: UInt16
    /// Bytes.
    package var maximumReceiveOctets: UInt16
    /// Microseconds.
    package var maximumReceiveTime: UInt16

    package init(
      status: HCIStatus = .success, maximumTransmitOctets: UInt16, maximumTransmitTime: UInt16,
      maximumReceiveOctets: UInt16, maximumReceiveTime: UInt16
    ) {
      self.status = status
      self.maximumTransmitOctets = maximumTransmitOctets
      self.maximumTransmitTime = maximumTransmitTime
      self.maximumReceiveOctets = maximumReceiveOctets
      self.maximumReceiveTime = maximumReceiveTime
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      maximumTransmitOctets = try reader.uint16("Supported_Max_TX_Octets")
      maximumTransmitTime = try reader.uint16("Supported_Max_TX_Time")
      maximumReceiveOctets = try reader.uint16("Supported_Max_RX_Octets")
      maximumReceiveTime = try reader.uint16("Supported_Max_RX_Time")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.uint16(maximumTransmitOctets)
      writer.uint16(maximumTransmitTime)
      writer.uint16(maximumReceiveOctets)
      writer.uint16(maximumReceiveTime)
    }
  }
}
