package import LatchkeyByteCoding

// General commands of the LE controller (Core 6.0 Vol 4 Part E).

/// Chooses the LE events that may be sent, one bit each (7.8.1).
package struct HCILESetEventMask: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetEventMask

  package var mask: UInt64

  package init(mask: UInt64) {
    self.mask = mask
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    mask = try reader.uint64("LE_Event_Mask")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint64(mask)
  }
}

/// Reads the buffers for LE data (7.8.2).
package struct HCILEReadBufferSize: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.leReadBufferSize

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    /// Bytes of data in one ACL packet; 0 if LE uses the buffers of BR/EDR.
    package var aclPacketLength: UInt16
    package var aclPacketCount: UInt8

    package init(status: HCIStatus = .success, aclPacketLength: UInt16, aclPacketCount: UInt8) {
      self.status = status
      self.aclPacketLength = aclPacketLength
      self.aclPacketCount = aclPacketCount
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      aclPacketLength = try reader.uint16("LE_ACL_Data_Packet_Length")
      aclPacketCount = try reader.uint8("Total_Num_LE_ACL_Data_Packets")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.uint16(aclPacketLength)
      writer.uint8(aclPacketCount)
    }
  }
}

/// Reads the buffers for LE data and for isochronous data (7.8.2, version 2).
package struct HCILEReadBufferSizeV2: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.leReadBufferSizeV2

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    /// Bytes of data in one ACL packet; 0 if LE uses the buffers of BR/EDR.
    package var aclPacketLength: UInt16
    package var aclPacketCount: UInt8
    package var isoPacketLength: UInt16
    package var isoPacketCount: UInt8

    package init(
      status: HCIStatus = .success, aclPacketLength: UInt16, aclPacketCount: UInt8, isoPacketLength: UInt16,
      isoPacketCount: UInt8
    ) {
      self.status = status
      self.aclPacketLength = aclPacketLength
      self.aclPacketCount = aclPacketCount
      self.isoPacketLength = isoPacketLength
      self.isoPacketCount = isoPacketCount
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      aclPacketLength = try reader.uint16("LE_ACL_Data_Packet_Length")
      aclPacketCount = try reader.uint8("Total_Num_LE_ACL_Data_Packets")
      isoPacketLength = try reader.uint16("ISO_Data_Packet_Length")
      isoPacketCount = try reader.uint8("Total_Num_ISO_Data_Packets")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.uint16(aclPacketLength)
      writer.uint8(aclPacketCount)
      writer.uint16(isoPacketLength)
      writer.uint8(isoPacketCount)
    }
  }
}

/// Reads the LE features (7.8.3).
package struct HCILEReadLocalSupportedFeatures: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.leReadLocalSupportedFeatures

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    package var features: LEFeatures

    package init(status: HCIStatus = .success, features: LEFeatures) {
      self.status = status
      self.features = features
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      features = LEFeatures(rawValue: try reader.uint64("LE_Features"))
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.uint64(features.rawValue)
    }
  }
}

/// Sets the random address, for advertising, scanning and connecting (7.8.4).
package struct HCILESetRandomAddress: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetRandomAddress

  package var address: BluetoothAddress

  package init(address: BluetoothAddress) {
    self.address = address
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    address = try BluetoothAddress(from: &reader, kind: .random)
  }

  package func encode(into writer: inout ByteWriter) {
    address.encode(into: &writer)
  }
}

/// Draws a random number (7.8.23).
package struct HCILERand: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.leRand

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    package var number: UInt64

    package init(status: HCIStatus = .success, number: UInt64) {
      self.status = status
      self.number = number
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      number = try reader.uint64("Random_Number")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.uint64(number)
    }
  }
}

/// Reads which states and roles may be combined (7.8.27).
package struct HCILEReadSupportedStates: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.leReadSupportedStates

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    package var states: UInt64

    package init(status: HCIStatus = .success, states: UInt64) {
      self.status = status
      self.states = states
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      states = try reader.uint64("LE_States")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.uint64(states)
    }
  }
}
