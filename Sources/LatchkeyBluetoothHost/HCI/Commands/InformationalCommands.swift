package import LatchkeyByteCoding

// Information about the controller (Core 6.0 Vol 4 Part E).

/// Reads the versions of HCI and link layer (7.4.1).
package struct HCIReadLocalVersionInformation: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.readLocalVersionInformation

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    /// 0x09 is 5.0, 0x0E is 6.0 (Assigned Numbers 2.1).
    package var hciVersion: UInt8
    package var hciSubversion: UInt16
    package var lmpVersion: UInt8
    /// The manufacturer of the controller (Assigned Numbers 7).
    package var companyIdentifier: UInt16
    package var lmpSubversion: UInt16

    package init(
      status: HCIStatus = .success, hciVersion: UInt8, hciSubversion: UInt16, lmpVersion: UInt8,
      companyIdentifier: UInt16, lmpSubversion: UInt16
    ) {
      self.status = status
      self.hciVersion = hciVersion
      self.hciSubversion = hciSubversion
      self.lmpVersion = lmpVersion
      self.companyIdentifier = companyIdentifier
      self.lmpSubversion = lmpSubversion
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      hciVersion = try reader.uint8("HCI_Version")
      hciSubversion = try reader.uint16("HCI_Subversion")
      lmpVersion = try reader.uint8("LMP_Version")
      companyIdentifier = try reader.uint16("Company_Identifier")
      lmpSubversion = try reader.uint16("LMP_Subversion")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.uint8(hciVersion)
      writer.uint16(hciSubversion)
      writer.uint8(lmpVersion)
      writer.uint16(companyIdentifier)
      writer.uint16(lmpSubversion)
    }
  }
}

/// Reads which commands the controller lists as supported (7.4.2).
package struct HCIReadLocalSupportedCommands: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.readLocalSupportedCommands

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    package var commands: HCISupportedCommands

    package init(status: HCIStatus = .success, commands: HCISupportedCommands) {
      self.status = status
      self.commands = commands
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      commands = try HCISupportedCommands(from: &reader)
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      commands.encode(into: &writer)
    }
  }
}

/// Reads the LMP features (7.4.3).
package struct HCIReadLocalSupportedFeatures: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.readLocalSupportedFeatures

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    /// Page 0 (Vol 2 Part C 3.3): bit 38 is LE.
    package var features: UInt64

    package init(status: HCIStatus = .success, features: UInt64) {
      self.status = status
      self.features = features
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      features = try reader.uint64("LMP_Features")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.uint64(features)
    }
  }
}

/// Reads the buffers that BR/EDR has, and LE too if it has none of its own (7.4.5).
package struct HCIReadBufferSize: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.readBufferSize

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    /// Bytes of data in one ACL packet.
    package var aclPacketLength: UInt16
    package var synchronousPacketLength: UInt8
    package var aclPacketCount: UInt16
    package var synchronousPacketCount: UInt16

    package init(
      status: HCIStatus = .success, aclPacketLength: UInt16, synchronousPacketLength: UInt8, aclPacketCount: UInt16,
      synchronousPacketCount: UInt16
    ) {
      self.status = status
      self.aclPacketLength = aclPacketLength
      self.synchronousPacketLength = synchronousPacketLength
      self.aclPacketCount = aclPacketCount
      self.synchronousPacketCount = synchronousPacketCount
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      aclPacketLength = try reader.uint16("ACL_Data_Packet_Length")
      synchronousPacketLength = try reader.uint8("Synchronous_Data_Packet_Length")
      aclPacketCount = try reader.uint16("Total_Num_ACL_Data_Packets")
      synchronousPacketCount = try reader.uint16("Total_Num_Synchronous_Data_Packets")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.uint16(aclPacketLength)
      writer.uint8(synchronousPacketLength)
      writer.uint16(aclPacketCount)
      writer.uint16(synchronousPacketCount)
    }
  }
}

/// Reads the public address (7.4.6).
package struct HCIReadBDADDR: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.readBDADDR

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    /// All zero if the controller has none.
    package var address: BluetoothAddress

    package init(status: HCIStatus = .success, address: BluetoothAddress) {
      self.status = status
      self.address = address
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      address = try BluetoothAddress(from: &reader, kind: .public)
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      address.encode(into: &writer)
    }
  }
}
