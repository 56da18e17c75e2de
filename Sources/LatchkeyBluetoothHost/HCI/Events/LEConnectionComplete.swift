package import LatchkeyByteCoding

/// A link was made, or could not be (Core 6.0 Vol 4 Part E 7.7.65.1, 7.7.65.10).
package struct LEConnectionComplete: Sendable, Equatable {
  /// The addresses that controllers with a resolving list report, both zero if unused.
  package struct ResolvableAddresses: Sendable, Equatable {
    package var local: BluetoothAddress
    package var peer: BluetoothAddress

    package init(
      local: BluetoothAddress = BluetoothAddress(0, kind: .random),
      peer: BluetoothAddress = BluetoothAddress(0, kind: .random)
    ) {
      self.local = local
      self.peer = peer
    }
  }

  package var status: HCIStatus
  package var connectionHandle: ConnectionHandle
  package var role: LinkRole
  package var peer: BluetoothAddress
  /// Whether `peer` is an identity address that the controller has found for the private one on the air.
  package var isResolved: Bool
  /// Of the Enhanced event (0x0A); nil makes it the plain one (0x01).
  package var resolvableAddresses: ResolvableAddresses?
  /// Units of 1.25 ms.
  package var interval: UInt16
  /// Connection events that the peripheral may skip.
  package var latency: UInt16
  /// Units of 10 ms.
  package var supervisionTimeout: UInt16
  /// 0 is 500 ppm, 7 is 20 ppm.
  package var centralClockAccuracy: UInt8

  package var isEnhanced: Bool { resolvableAddresses != nil }

  /// The private address of this host, if the controller has made it; nil if the host has.
  var localOnAir: BluetoothAddress? {
    resolvableAddresses.flatMap { $0.local.isResolvable ? $0.local : nil }
  }

  /// The peer's address on the air, also where the controller has resolved it.
  var peerOnAir: BluetoothAddress {
    guard let address = resolvableAddresses?.peer, address.isResolvable else { return peer }
    return address
  }

  package init(
    status: HCIStatus = .success, connectionHandle: ConnectionHandle, role: LinkRole, peer: BluetoothAddress,
    isResolved: Bool = false, resolvableAddresses: ResolvableAddresses? = nil, interval: UInt16 = 24,
    latency: UInt16 = 0,
    supervisionTimeout: UInt16 = 500, centralClockAccuracy: UInt8 = 0
  ) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.role = role
    self.peer = peer
    self.isResolved = isResolved
    self.resolvableAddresses = resolvableAddresses
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
    self.centralClockAccuracy = centralClockAccuracy
  }

  package init(from reader: inout ByteReader, isEnhanced: Bool) throws(ByteCodingError) {
    status = try reader.status()
    connectionHandle = try ConnectionHandle(from: &reader)
    let role = LinkRole(rawValue: try reader.uint8("Role"))
    let type = reader.peek()
    let kind = try? reader.addressKind("Peer_Address_Type")
    if status == .success {
      guard role != nil else { throw .invalidValue(field: "Role") }
      guard kind != nil else { throw .invalidValue(field: "Peer_Address_Type") }
    }
    // After a failure every field but the status is undefined: their content must not hide the failure.
    self.role = role ?? .central
    peer = try BluetoothAddress(from: &reader, kind: kind ?? .public)
    isResolved = type == 0x02 || type == 0x03
    if isEnhanced {
      let local = try BluetoothAddress(from: &reader, kind: .random)
      resolvableAddresses = ResolvableAddresses(local: local, peer: try BluetoothAddress(from: &reader, kind: .random))
    }
    interval = try reader.uint16("Connection_Interval")
    latency = try reader.uint16("Peripheral_Latency")
    supervisionTimeout = try reader.uint16("Supervision_Timeout")
    centralClockAccuracy = try reader.uint8("Central_Clock_Accuracy")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.status(status)
    connectionHandle.encode(into: &writer)
    writer.uint8(role.rawValue)
    writer.typedAddress(peer, isResolved: isResolved)
    if let resolvableAddresses {
      resolvableAddresses.local.encode(into: &writer)
      resolvableAddresses.peer.encode(into: &writer)
    }
    writer.uint16(interval)
    writer.uint16(latency)
    writer.uint16(supervisionTimeout)
    writer.uint8(centralClockAccuracy)
  }
}
