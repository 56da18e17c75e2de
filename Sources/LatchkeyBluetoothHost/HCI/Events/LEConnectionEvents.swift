package import LatchkeyByteCoding

// LE events of one link (Core 6.0 Vol 4 Part E).

/// A link's parameters changed, or could not (7.7.65.3).
package struct LEConnectionUpdateComplete: Sendable, Equatable {
  package var status: HCIStatus
  package var connectionHandle: ConnectionHandle
  /// Units of 1.25 ms.
  package var interval: UInt16
  /// Connection events that the peripheral may skip.
  package var latency: UInt16
  /// Units of 10 ms.
  package var supervisionTimeout: UInt16

  package init(
    status: HCIStatus = .success, connectionHandle: ConnectionHandle, interval: UInt16, latency: UInt16,
    supervisionTimeout: UInt16
  ) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    status = try reader.status()
    connectionHandle = try ConnectionHandle(from: &reader)
    interval = try reader.uint16("Connection_Interval")
    latency = try reader.uint16("Peripheral_Latency")
    supervisionTimeout = try reader.uint16("Supervision_Timeout")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.status(status)
    connectionHandle.encode(into: &writer)
    writer.uint16(interval)
    writer.uint16(latency)
    writer.uint16(supervisionTimeout)
  }
}

/// The LE features of a peer (7.7.65.4).
package struct LEReadRemoteFeaturesComplete: Sendable, Equatable {
  package var status: HCIStatus
  package var connectionHandle: ConnectionHandle
  package var features: LEFeatures

  package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle, features: LEFeatures) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.features = features
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    status = try reader.status()
    connectionHandle = try ConnectionHandle(from: &reader)
    features = LEFeatures(rawValue: try reader.uint64("LE_Features"))
  }

  package func encode(into writer: inout ByteWriter) {
    writer.status(status)
    connectionHandle.encode(into: &writer)
    writer.uint64(features.rawValue)
  }
}

/// The central encrypts the link; the controller waits for this host's key (7.7.65.5).
package struct LELongTermKeyRequest: Sendable, Equatable {
  package var connectionHandle: ConnectionHandle
  /// The number and the diversifier that identify the key; both zero for one of LE Secure Connections.
  package var randomNumber: UInt64
  package var encryptedDiversifier: UInt16

  package init(connectionHandle: ConnectionHandle, randomNumber: UInt64 = 0, encryptedDiversifier: UInt16 = 0) {
    self.connectionHandle = connectionHandle
    self.randomNumber = randomNumber
    self.encryptedDiversifier = encryptedDiversifier
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    connectionHandle = try ConnectionHandle(from: &reader)
    randomNumber = try reader.uint64("Random_Number")
    encryptedDiversifier = try reader.uint16("Encrypted_Diversifier")
  }

  package func encode(into writer: inout ByteWriter) {
    connectionHandle.encode(into: &writer)
    writer.uint64(randomNumber)
    writer.uint16(encryptedDiversifier)
  }
}

/// The peer asks for other parameters; it waits for a reply (7.7.65.6).
package struct LERemoteConnectionParameterRequest: Sendable, Equatable {
  package var connectionHandle: ConnectionHandle
  package var parameters: ConnectionParameters

  package init(connectionHandle: ConnectionHandle, parameters: ConnectionParameters) {
    self.connectionHandle = connectionHandle
    self.parameters = parameters
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    connectionHandle = try ConnectionHandle(from: &reader)
    parameters = try ConnectionParameters(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) {
    connectionHandle.encode(into: &writer)
    parameters.encode(into: &writer)
  }
}

/// The length of a link's packets changed (7.7.65.7).
package struct LEDataLengthChange: Sendable, Equatable {
  package var connectionHandle: ConnectionHandle
  /// Bytes of data in one packet of the air.
  package var maximumTransmitOctets: UInt16
  /// Microseconds.
  package var maximumTransmitTime: UInt16
  /// Bytes.
  package var maximumReceiveOctets: UInt16
  /// Microseconds.
  package var maximumReceiveTime: UInt16

  package init(
    connectionHandle: ConnectionHandle, maximumTransmitOctets: UInt16, maximumTransmitTime: UInt16,
    maximumReceiveOctets: UInt16, maximumReceiveTime: UInt16
  ) {
    self.connectionHandle = connectionHandle
    self.maximumTransmitOctets = maximumTransmitOctets
    self.maximumTransmitTime = maximumTransmitTime
    self.maximumReceiveOctets = maximumReceiveOctets
    self.maximumReceiveTime = maximumReceiveTime
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    connectionHandle = try ConnectionHandle(from: &reader)
    maximumTransmitOctets = try reader.uint16("Max_TX_Octets")
    maximumTransmitTime = try reader.uint16("Max_TX_Time")
    maximumReceiveOctets = try reader.uint16("Max_RX_Octets")
    maximumReceiveTime = try reader.uint16("Max_RX_Time")
  }

  package func encode(into writer: inout ByteWriter) {
    connectionHandle.encode(into: &writer)
    writer.uint16(maximumTransmitOctets)
    writer.uint16(maximumTransmitTime)
    writer.uint16(maximumReceiveOctets)
    writer.uint16(maximumReceiveTime)
  }
}

/// A link's PHY changed, or was queried (7.7.65.12).
package struct LEPHYUpdateComplete: Sendable, Equatable {
  package var status: HCIStatus
  package var connectionHandle: ConnectionHandle
  /// 1 is 1M, 2 is 2M, 3 is coded.
  package var transmitPHY: UInt8
  /// The same.
  package var receivePHY: UInt8

  package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle, transmitPHY: UInt8, receivePHY: UInt8)
  {
    self.status = status
    self.connectionHandle = connectionHandle
    self.transmitPHY = transmitPHY
    self.receivePHY = receivePHY
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    status = try reader.status()
    connectionHandle = try ConnectionHandle(from: &reader)
    transmitPHY = try reader.uint8("TX_PHY")
    receivePHY = try reader.uint8("RX_PHY")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.status(status)
    connectionHandle.encode(into: &writer)
    writer.uint8(transmitPHY)
    writer.uint8(receivePHY)
  }
}
