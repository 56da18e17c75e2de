package import LatchkeyByteCoding

// Legacy advertising (Core 6.0 Vol 4 Part E).

/// Sets how to advertise; not allowed while advertising (7.8.5).
package struct HCILESetAdvertisingParameters: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetAdvertisingParameters

  /// Units of 0.625 ms, 0x0020...0x4000.
  package var minimumInterval: UInt16
  /// Units of 0.625 ms.
  package var maximumInterval: UInt16
  package var type: LEAdvertisingType
  package var ownAddressKind: OwnAddressKind
  /// The target of directed advertising.
  package var peer: BluetoothAddress
  /// Bit 0 is channel 37, bit 2 channel 39.
  package var channelMap: UInt8
  /// 0x00 answers every scan and connection request.
  package var filterPolicy: UInt8

  package init(
    minimumInterval: UInt16 = 0x0800, maximumInterval: UInt16 = 0x0800, type: LEAdvertisingType = .connectable,
    ownAddressKind: OwnAddressKind, peer: BluetoothAddress = BluetoothAddress(0, kind: .public),
    channelMap: UInt8 = 0x07, filterPolicy: UInt8 = 0x00
  ) {
    self.minimumInterval = minimumInterval
    self.maximumInterval = maximumInterval
    self.type = type
    self.ownAddressKind = ownAddressKind
    self.peer = peer
    self.channelMap = channelMap
    self.filterPolicy = filterPolicy
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    minimumInterval = try reader.uint16("Advertising_Interval_Min")
    maximumInterval = try reader.uint16("Advertising_Interval_Max")
    type = try LEAdvertisingType(from: &reader)
    ownAddressKind = try reader.ownAddressKind()
    peer = try reader.typedAddress("Peer_Address_Type")
    channelMap = try reader.uint8("Advertising_Channel_Map")
    filterPolicy = try reader.uint8("Advertising_Filter_Policy")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint16(minimumInterval)
    writer.uint16(maximumInterval)
    writer.uint8(type.rawValue)
    writer.uint8(ownAddressKind.rawValue)
    writer.typedAddress(peer)
    writer.uint8(channelMap)
    writer.uint8(filterPolicy)
  }
}

/// Reads the power of advertising packets (7.8.6).
package struct HCILEReadAdvertisingPhysicalChannelTxPower: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.leReadAdvertisingPhysicalChannelTxPower

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    /// dBm, -127...20.
    package var level: Int8

    package init(status: HCIStatus = .success, level: Int8) {
      self.status = status
      self.level = level
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status("Status")
      level = try reader.int8("TX_Power_Level")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.int8(level)
    }
  }
}

/// Sets the data of advertising packets (7.8.7).
package struct HCILESetAdvertisingData: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetAdvertisingData

  package var data: LegacyAdvertisingData

  package init(data: LegacyAdvertisingData) {
    self.data = data
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    data = try LegacyAdvertisingData(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) {
    data.encode(into: &writer)
  }
}

/// Sets the data of scan responses (7.8.8).
package struct HCILESetScanResponseData: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetScanResponseData

  package var data: LegacyAdvertisingData

  package init(data: LegacyAdvertisingData) {
    self.data = data
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    data = try LegacyAdvertisingData(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) {
    data.encode(into: &writer)
  }
}

/// Starts or ends advertising (7.8.9).
package struct HCILESetAdvertisingEnable: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetAdvertisingEnable

  package var isEnabled: Bool

  package init(isEnabled: Bool) {
    self.isEnabled = isEnabled
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    isEnabled = try reader.flag("Advertising_Enable")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.flag(isEnabled)
  }
}
