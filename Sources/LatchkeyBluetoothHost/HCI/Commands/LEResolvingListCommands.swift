package import LatchkeyByteCoding

// The resolving list: the IRKs by which a controller resolves peers' private addresses, and makes its own (Core 6.0 Vol 4
// Part E, Vol 6 Part B 4.7). Entries are named by the peers' identity addresses.

/// Adds a device; not while addresses are resolved and the controller advertises, scans or initiates (7.8.38).
package struct HCILEAddDeviceToResolvingList: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leAddDeviceToResolvingList

  package var identity: BluetoothAddress
  /// Zeros if the peer has none.
  package var peerResolvingKey: SecurityKey
  /// Zeros if this device shows the peer no private addresses that the controller makes.
  package var localResolvingKey: SecurityKey

  package init(identity: BluetoothAddress, peerResolvingKey: SecurityKey, localResolvingKey: SecurityKey = .zero) {
    self.identity = identity
    self.peerResolvingKey = peerResolvingKey
    self.localResolvingKey = localResolvingKey
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    identity = try reader.identityAddress()
    peerResolvingKey = try SecurityKey(from: &reader, "Peer_IRK")
    localResolvingKey = try SecurityKey(from: &reader, "Local_IRK")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.typedAddress(identity)
    peerResolvingKey.encode(into: &writer)
    localResolvingKey.encode(into: &writer)
  }
}

/// Removes a device (7.8.39).
package struct HCILERemoveDeviceFromResolvingList: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leRemoveDeviceFromResolvingList

  package var identity: BluetoothAddress

  package init(identity: BluetoothAddress) { self.identity = identity }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    identity = try reader.identityAddress()
  }

  package func encode(into writer: inout ByteWriter) { writer.typedAddress(identity) }
}

/// Empties the list (7.8.40).
package struct HCILEClearResolvingList: HCIParameterlessCommand, HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leClearResolvingList

  package init() {}
}

/// Reads how many devices the list can hold; the number may change (7.8.41).
package struct HCILEReadResolvingListSize: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.leReadResolvingListSize

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    package var size: UInt8

    package init(status: HCIStatus = .success, size: UInt8) {
      self.status = status
      self.size = size
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status()
      size = try reader.uint8("Resolving_List_Size")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.uint8(size)
    }
  }
}

/// Reads the private address that a peer uses, as far as the controller knows (7.8.42).
package struct HCILEReadPeerResolvableAddress: HCISynchronousCommand {
  package typealias ReturnParameters = HCIResolvableAddressReturnParameters
  package static let opcode = HCIOpcode.leReadPeerResolvableAddress

  package var identity: BluetoothAddress

  package init(identity: BluetoothAddress) { self.identity = identity }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    identity = try reader.identityAddress()
  }

  package func encode(into writer: inout ByteWriter) { writer.typedAddress(identity) }
}

/// Reads the private address that the controller shows a peer (7.8.43).
package struct HCILEReadLocalResolvableAddress: HCISynchronousCommand {
  package typealias ReturnParameters = HCIResolvableAddressReturnParameters
  package static let opcode = HCIOpcode.leReadLocalResolvableAddress

  package var identity: BluetoothAddress

  package init(identity: BluetoothAddress) { self.identity = identity }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    identity = try reader.identityAddress()
  }

  package func encode(into writer: inout ByteWriter) { writer.typedAddress(identity) }
}

/// Return parameters of status and a private address; zeros if there is none.
package struct HCIResolvableAddressReturnParameters: HCIReturnParameters {
  package var status: HCIStatus
  package var address: BluetoothAddress

  package init(status: HCIStatus = .success, address: BluetoothAddress) {
    self.status = status
    self.address = address
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    status = try reader.status()
    address = try BluetoothAddress(from: &reader, kind: .random)
  }

  package func encode(into writer: inout ByteWriter) {
    writer.status(status)
    address.encode(into: &writer)
  }
}
