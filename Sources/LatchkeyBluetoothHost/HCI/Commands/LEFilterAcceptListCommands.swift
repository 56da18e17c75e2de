package import LatchkeyByteCoding

// The filter accept list (Core 6.0 Vol 4 Part E).

/// Reads how many devices the list can hold (7.8.14).
package struct HCILEReadFilterAcceptListSize: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.leReadFilterAcceptListSize

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    package var size: UInt8

    package init(status: HCIStatus = .success, size: UInt8) {
      self.status = status
      self.size = size
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      size = try reader.uint8("Filter_Accept_List_Size")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.uint8(size)
    }
  }
}

/// Empties the list (7.8.15).
package struct HCILEClearFilterAcceptList: HCIParameterlessCommand, HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leClearFilterAcceptList

  package init() {}
}

/// Adds a device; anonymous advertising (0xFF) is not supported (7.8.16).
package struct HCILEAddDeviceToFilterAcceptList: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leAddDeviceToFilterAcceptList

  package var address: BluetoothAddress

  package init(address: BluetoothAddress) {
    self.address = address
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    address = try reader.typedAddress("Address_Type")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.typedAddress(address)
  }
}

/// Removes a device (7.8.17).
package struct HCILERemoveDeviceFromFilterAcceptList: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leRemoveDeviceFromFilterAcceptList

  package var address: BluetoothAddress

  package init(address: BluetoothAddress) {
    self.address = address
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    address = try reader.typedAddress("Address_Type")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.typedAddress(address)
  }
}
