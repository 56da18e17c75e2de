package import LatchkeyByteCoding

// Making and changing connections (Core 6.0 Vol 4 Part E).

/// Connects to an advertiser, whenever it is heard. Connection Complete follows (7.8.12).
package struct HCILECreateConnection: HCICommand {
  package static let opcode = HCIOpcode.leCreateConnection

  /// Units of 0.625 ms.
  package var scanInterval: UInt16
  /// Units of 0.625 ms, at most the interval.
  package var scanWindow: UInt16
  /// Whether to connect to any device of the filter accept list instead of `peer`.
  package var usesFilterAcceptList: Bool
  package var peer: BluetoothAddress
  package var ownAddressKind: OwnAddressKind
  package var parameters: ConnectionParameters
  package var eventLength: ConnectionEventLength

  package init(
    scanInterval: UInt16 = 0x0010, scanWindow: UInt16 = 0x0010, usesFilterAcceptList: Bool = false,
    peer: BluetoothAddress, ownAddressKind: OwnAddressKind,
    parameters: ConnectionParameters = ConnectionParameters(),
    eventLength: ConnectionEventLength = ConnectionEventLength()
  ) {
    self.scanInterval = scanInterval
    self.scanWindow = scanWindow
    self.usesFilterAcceptList = usesFilterAcceptList
    self.peer = peer
    self.ownAddressKind = ownAddressKind
    self.parameters = parameters
    self.eventLength = eventLength
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    scanInterval = try reader.uint16("LE_Scan_Interval")
    scanWindow = try reader.uint16("LE_Scan_Window")
    usesFilterAcceptList = try reader.flag("Initiator_Filter_Policy")
    peer = try reader.typedAddress("Peer_Address_Type")
    ownAddressKind = try reader.ownAddressKind()
    parameters = try ConnectionParameters(from: &reader)
    eventLength = try ConnectionEventLength(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint16(scanInterval)
    writer.uint16(scanWindow)
    writer.flag(usesFilterAcceptList)
    writer.typedAddress(peer)
    writer.uint8(ownAddressKind.rawValue)
    parameters.encode(into: &writer)
    eventLength.encode(into: &writer)
  }
}

/// Gives up connecting. Connection Complete follows with Unknown Connection Identifier (7.8.13).
package struct HCILECreateConnectionCancel: HCIParameterlessCommand, HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leCreateConnectionCancel

  package init() {}
}

/// Changes the parameters of a link. Connection Update Complete follows (7.8.18).
package struct HCILEConnectionUpdate: HCICommand {
  package static let opcode = HCIOpcode.leConnectionUpdate

  package var connectionHandle: ConnectionHandle
  package var parameters: ConnectionParameters
  package var eventLength: ConnectionEventLength

  package init(
    connectionHandle: ConnectionHandle, parameters: ConnectionParameters,
    eventLength: ConnectionEventLength = ConnectionEventLength()
  ) {
    self.connectionHandle = connectionHandle
    self.parameters = parameters
    self.eventLength = eventLength
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    connectionHandle = try ConnectionHandle(from: &reader)
    parameters = try ConnectionParameters(from: &reader)
    eventLength = try ConnectionEventLength(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) {
    connectionHandle.encode(into: &writer)
    parameters.encode(into: &writer)
    eventLength.encode(into: &writer)
  }
}

/// Asks for the LE features of the peer. Read Remote Features Complete follows (7.8.21).
package struct HCILEReadRemoteFeatures: HCICommand {
  package static let opcode = HCIOpcode.leReadRemoteFeatures

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

/// Accepts the parameters that the peer asked for (7.8.31).
package struct HCILERemoteConnectionParameterRequestReply: HCISynchronousCommand {
  package typealias ReturnParameters = HCIConnectionReturnParameters
  package static let opcode = HCIOpcode.leRemoteConnectionParameterRequestReply

  package var connectionHandle: ConnectionHandle
  package var parameters: ConnectionParameters
  package var eventLength: ConnectionEventLength

  package init(
    connectionHandle: ConnectionHandle, parameters: ConnectionParameters,
    eventLength: ConnectionEventLength = ConnectionEventLength()
  ) {
    self.connectionHandle = connectionHandle
    self.parameters = parameters
    self.eventLength = eventLength
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    connectionHandle = try ConnectionHandle(from: &reader)
    parameters = try ConnectionParameters(from: &reader)
    eventLength = try ConnectionEventLength(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) {
    connectionHandle.encode(into: &writer)
    parameters.encode(into: &writer)
    eventLength.encode(into: &writer)
  }
}

/// Refuses the parameters that the peer asked for (7.8.32).
package struct HCILERemoteConnectionParameterRequestNegativeReply: HCISynchronousCommand {
  package typealias ReturnParameters = HCIConnectionReturnParameters
  package static let opcode = HCIOpcode.leRemoteConnectionParameterRequestNegativeReply

  package var connectionHandle: ConnectionHandle
  package var reason: HCIStatus

  package init(connectionHandle: ConnectionHandle, reason: HCIStatus = .unacceptableConnectionParameters) {
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
