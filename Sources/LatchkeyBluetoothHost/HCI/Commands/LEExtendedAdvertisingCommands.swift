package import LatchkeyByteCoding

// Extended advertising (Core 6.0 Vol 4 Part E). A controller that has had one of these commands refuses those of legacy
// advertising and scanning, and the other way round, until it is reset (3.1.1).

/// Sets the random address of an advertising set (7.8.52).
package struct HCILESetAdvertisingSetRandomAddress: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetAdvertisingSetRandomAddress

  package var handle: AdvertisingHandle
  package var address: BluetoothAddress

  package init(handle: AdvertisingHandle, address: BluetoothAddress) {
    self.handle = handle
    self.address = address
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    handle = try AdvertisingHandle(from: &reader)
    address = try BluetoothAddress(from: &reader, kind: .random)
  }

  package func encode(into writer: inout ByteWriter) {
    handle.encode(into: &writer)
    address.encode(into: &writer)
  }
}

/// Makes an advertising set, or changes how one that is not enabled advertises (7.8.53, version 1).
package struct HCILESetExtendedAdvertisingParameters: HCISynchronousCommand {
  package static let opcode = HCIOpcode.leSetExtendedAdvertisingParameters
  /// The controller chooses the power.
  package static let noPreferredTxPower: Int8 = 127

  package var handle: AdvertisingHandle
  package var properties: AdvertisingEventProperties
  /// Units of 0.625 ms, 0x000020...0xFFFFFF.
  package var minimumInterval: UInt32
  /// Units of 0.625 ms.
  package var maximumInterval: UInt32
  /// Bit 0 is channel 37, bit 2 channel 39.
  package var channelMap: UInt8
  package var ownAddressKind: OwnAddressKind
  /// The target of directed advertising.
  package var peer: BluetoothAddress
  /// 0x00 answers every scan and connection request.
  package var filterPolicy: UInt8
  /// dBm, -127...20.
  package var txPower: Int8
  /// Not LE 2M.
  package var primaryPHY: LEPHY
  /// Events of the primary channels between two packets on the secondary ones.
  package var secondaryMaximumSkip: UInt8
  package var secondaryPHY: LEPHY
  /// 0x00...0x0F: tells one set of this advertiser from another on the air.
  package var setIdentifier: UInt8
  /// Whether each scan request is reported.
  package var reportsScanRequests: Bool

  package init(
    handle: AdvertisingHandle, properties: AdvertisingEventProperties = [.legacy, .connectable, .scannable],
    minimumInterval: UInt32 = 0x000800, maximumInterval: UInt32 = 0x000800, channelMap: UInt8 = 0x07,
    ownAddressKind: OwnAddressKind, peer: BluetoothAddress = BluetoothAddress(0, kind: .public),
    filterPolicy: UInt8 = 0x00, txPower: Int8 = noPreferredTxPower, primaryPHY: LEPHY = .le1M,
    secondaryMaximumSkip: UInt8 = 0, secondaryPHY: LEPHY = .le1M, setIdentifier: UInt8 = 0,
    reportsScanRequests: Bool = false
  ) {
    self.handle = handle
    self.properties = properties
    self.minimumInterval = minimumInterval
    self.maximumInterval = maximumInterval
    self.channelMap = channelMap
    self.ownAddressKind = ownAddressKind
    self.peer = peer
    self.filterPolicy = filterPolicy
    self.txPower = txPower
    self.primaryPHY = primaryPHY
    self.secondaryMaximumSkip = secondaryMaximumSkip
    self.secondaryPHY = secondaryPHY
    self.setIdentifier = setIdentifier
    self.reportsScanRequests = reportsScanRequests
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    handle = try AdvertisingHandle(from: &reader)
    properties = AdvertisingEventProperties(rawValue: try reader.uint16("Advertising_Event_Properties"))
    minimumInterval = try reader.uint24("Primary_Advertising_Interval_Min")
    maximumInterval = try reader.uint24("Primary_Advertising_Interval_Max")
    channelMap = try reader.uint8("Primary_Advertising_Channel_Map")
    ownAddressKind = try reader.ownAddressKind()
    peer = try reader.typedAddress("Peer_Address_Type")
    filterPolicy = try reader.uint8("Advertising_Filter_Policy")
    txPower = try reader.int8("Advertising_TX_Power")
    primaryPHY = try LEPHY(from: &reader, "Primary_Advertising_PHY")
    secondaryMaximumSkip = try reader.uint8("Secondary_Advertising_Max_Skip")
    secondaryPHY = try LEPHY(from: &reader, "Secondary_Advertising_PHY")
    setIdentifier = try reader.uint8("Advertising_SID")
    reportsScanRequests = try reader.flag("Scan_Request_Notification_Enable")
  }

  package func encode(into writer: inout ByteWriter) {
    handle.encode(into: &writer)
    writer.uint16(properties.rawValue)
    writer.uint24(minimumInterval)
    writer.uint24(maximumInterval)
    writer.uint8(channelMap)
    writer.uint8(ownAddressKind.rawValue)
    writer.typedAddress(peer)
    writer.uint8(filterPolicy)
    writer.int8(txPower)
    writer.uint8(primaryPHY.rawValue)
    writer.uint8(secondaryMaximumSkip)
    writer.uint8(secondaryPHY.rawValue)
    writer.uint8(setIdentifier)
    writer.flag(reportsScanRequests)
  }

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    /// dBm, -127...20.
    package var selectedTxPower: Int8

    package init(status: HCIStatus = .success, selectedTxPower: Int8) {
      self.status = status
      self.selectedTxPower = selectedTxPower
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status()
      selectedTxPower = try reader.int8("Selected_TX_Power")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.int8(selectedTxPower)
    }
  }
}

/// Sets the data of a set's advertisements (7.8.54).
package struct HCILESetExtendedAdvertisingData: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetExtendedAdvertisingData

  package var fragment: AdvertisingDataFragment

  package init(_ fragment: AdvertisingDataFragment) { self.fragment = fragment }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    fragment = try AdvertisingDataFragment(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) { fragment.encode(into: &writer) }
}

/// Sets the data of a set's scan responses (7.8.55).
package struct HCILESetExtendedScanResponseData: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetExtendedScanResponseData

  package var fragment: AdvertisingDataFragment

  package init(_ fragment: AdvertisingDataFragment) { self.fragment = fragment }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    fragment = try AdvertisingDataFragment(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) { fragment.encode(into: &writer) }
}

/// Starts or ends the advertising of some sets; none, with `isEnabled` false, are all sets (7.8.56).
package struct HCILESetExtendedAdvertisingEnable: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetExtendedAdvertisingEnable

  /// One set, and when its advertising ends by itself.
  package struct AdvertisingSet: Sendable, Equatable {
    package var handle: AdvertisingHandle
    /// Units of 10 ms; 0 for no limit.
    package var duration: UInt16
    /// 0 for no limit.
    package var maximumEvents: UInt8

    package init(handle: AdvertisingHandle, duration: UInt16 = 0, maximumEvents: UInt8 = 0) {
      self.handle = handle
      self.duration = duration
      self.maximumEvents = maximumEvents
    }
  }

  package var isEnabled: Bool
  /// At most 63: more do not fit a command.
  package var sets: [AdvertisingSet]

  package init(isEnabled: Bool, sets: [AdvertisingSet]) {
    self.isEnabled = isEnabled
    self.sets = sets
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    isEnabled = try reader.flag("Enable")
    let count = try reader.uint8("Num_Sets")
    sets = []
    for _ in 0..<count {
      let handle = try AdvertisingHandle(from: &reader)
      let duration = try reader.uint16("Duration")
      let maximumEvents = try reader.uint8("Max_Extended_Advertising_Events")
      sets.append(AdvertisingSet(handle: handle, duration: duration, maximumEvents: maximumEvents))
    }
  }

  package func encode(into writer: inout ByteWriter) {
    writer.flag(isEnabled)
    writer.uint8(UInt8(truncatingIfNeeded: sets.count))
    for set in sets {
      set.handle.encode(into: &writer)
      writer.uint16(set.duration)
      writer.uint8(set.maximumEvents)
    }
  }
}
