import LatchkeyByteCoding

// The entries of LE Extended Advertising Report (Core 6.0 Vol 4 Part E 7.7.65.13).

extension LEAdvertisingReport {
  /// The most data in one entry: longer ones do not fit an event.
  package static let extendedDataCapacity = 229
  /// The Address_Type of an advertiser without address.
  private static let anonymous: UInt8 = 0xFF
  /// The Secondary_PHY of packets on the primary channels alone.
  private static let noSecondaryPHY: UInt8 = 0x00
  /// The Advertising_SID of packets that name no set.
  private static let noSetIdentifier: UInt8 = 0xFF

  init(extended reader: inout ByteReader) throws(ByteCodingError) {
    let bits = try reader.uint16("Event_Type")
    guard let dataStatus = DataStatus(rawValue: UInt8(truncatingIfNeeded: bits >> 5 & 0b11)) else {
      throw .invalidValue(field: "data status")
    }
    let eventType = EventType(rawValue: UInt8(truncatingIfNeeded: bits & 0x1F))
    var address: BluetoothAddress?
    var isResolved = false
    if reader.peek() == Self.anonymous {
      try reader.skip(7, "Address")
    } else {
      let advertiser = try reader.resolvedAddress("Address_Type")
      (address, isResolved) = (advertiser.address, advertiser.isResolved)
    }
    // Unknown layers are reported as the ones that every device has: nothing is refused for them.
    let primaryPHY = LEPHY(rawValue: try reader.uint8("Primary_PHY")) ?? .le1M
    let secondary = try reader.uint8("Secondary_PHY")
    let secondaryPHY = secondary == Self.noSecondaryPHY ? nil : LEPHY(rawValue: secondary) ?? .le1M
    let set = try reader.uint8("Advertising_SID")
    let txPower = try reader.int8("TX_Power")
    let rssi = try reader.int8("RSSI")
    try reader.skip(2, "Periodic_Advertising_Interval")
    var directAddress: BluetoothAddress?
    if eventType.contains(.directed) {
      directAddress = try reader.directAddress()
    } else {
      try reader.skip(7, "Direct_Address")
    }
    let count = Int(try reader.uint8("Data_Length"))
    guard count <= Self.extendedDataCapacity else { throw .invalidValue(field: "Data_Length") }
    self.init(
      form: .extended, eventType: eventType, dataStatus: dataStatus, address: address, isResolved: isResolved,
      directAddress: directAddress, primaryPHY: primaryPHY, secondaryPHY: secondaryPHY,
      setIdentifier: set == Self.noSetIdentifier ? nil : set,
      rssi: rssi, txPower: txPower, data: try reader.bytes(count, "Data"))
  }

  func encodeExtended(into writer: inout ByteWriter) {
    writer.uint16(UInt16(eventType.rawValue & 0x1F) | UInt16(dataStatus.rawValue) << 5)
    if let address {
      writer.typedAddress(address, isResolved: isResolved)
    } else {
      writer.uint8(Self.anonymous)
      writer.zeros(6)
    }
    writer.uint8(primaryPHY.rawValue)
    writer.uint8(secondaryPHY?.rawValue ?? Self.noSecondaryPHY)
    writer.uint8(setIdentifier ?? Self.noSetIdentifier)
    writer.int8(txPower)
    writer.int8(rssi)
    writer.uint16(0)
    writer.typedAddress(directAddress ?? BluetoothAddress(0, kind: .public))
    let sent = data.prefix(Self.extendedDataCapacity)
    writer.uint8(UInt8(sent.count))
    writer.append(sent)
  }
}
