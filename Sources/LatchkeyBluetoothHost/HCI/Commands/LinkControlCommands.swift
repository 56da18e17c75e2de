package import LatchkeyByteCoding

// Commands of link control (Core 6.0 Vol 4 Part E).

/// Ends a link. Disconnection Complete follows (7.1.6).
package struct HCIDisconnect: HCICommand {
  package static let opcode = HCIOpcode.disconnect

  package var connectionHandle: ConnectionHandle
  /// The reason that is sent to the peer.
  package var reason: HCIStatus

  package init(connectionHandle: ConnectionHandle, reason: HCIStatus = .remoteUserTerminated) {
    self.connectionHandle = connectionHandle
    self.reason = reason
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    connectionHandle = try ConnectionHandle(from: &reader)
    reason = try reader.status("Reason")
  }

  package func encode(into writer: inout ByteWriter) {
    connectionHandle.encode(into: &writer)
    writer.status(reason)
  }
}

/// Asks for the version of the peer. Read Remote Version Information Complete follows (7.1.23).
package struct HCIReadRemoteVersionInformation: HCICommand {
  package static let opcode = HCIOpcode.readRemoteVersionInformation

  package var connectionHandle: ConnectionHandle

  package init(connectionHandle: ConnectionHandle) {
    self.connectionHandle = connectionHandle
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    connectionHandle = try ConnectionHandle(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) {
    connectionHandle.encode(into: &writer)
  }
}

/// Reads the strength of the last packets of a link (7.5.4).
package struct HCIReadRSSI: HCISynchronousCommand {
  package static let opcode = HCIOpcode.readRSSI

  package var connectionHandle: ConnectionHandle

  package init(connectionHandle: ConnectionHandle) {
    self.connectionHandle = connectionHandle
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    connectionHandle = try ConnectionHandle(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) {
    connectionHandle.encode(into: &writer)
  }

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    package var connectionHandle: ConnectionHandle
    /// dBm; 127 if it is not available.
    package var rssi: Int8

    package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle, rssi: Int8) {
      self.status = status
      self.connectionHandle = connectionHandle
      self.rssi = rssi
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      connectionHandle = try ConnectionHandle(from: &reader)
      rssi = try reader.int8("RSSI")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      connectionHandle.encode(into: &writer)
      writer.int8(rssi)
    }
  }
}
