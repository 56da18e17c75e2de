import LatchkeyByteCoding

// The entries of LE Advertising Report (Core 6.0 Vol 4 Part E 7.7.65.2) and LE Directed Advertising Report (7.7.65.11).

extension LEAdvertisingReport {
  /// The Event_Type of each kind of packet, by index. A scan response does not contain whether its advertiser accepts
  /// connections.
  private static let legacyEventTypes: [EventType] = [
    [.legacy, .connectable, .scannable],
    [.legacy, .connectable, .directed],
    [.legacy, .scannable],
    [.legacy],
    [.legacy, .scannable, .scanResponse],
  ]

  init(legacy reader: inout ByteReader) throws(ByteCodingError) {
    let kind = Int(try reader.uint8("Event_Type"))
    guard kind < Self.legacyEventTypes.count else { throw .invalidValue(field: "Event_Type") }
    let (address, isResolved) = try reader.resolvedAddress("Address_Type")
    let count = Int(try reader.uint8("Data_Length"))
    guard count <= LegacyAdvertisingData.capacity else { throw .invalidValue(field: "Data_Length") }
    let data = try reader.bytes(count, "Data")
    self.init(
      eventType: Self.legacyEventTypes[kind], address: address, isResolved: isResolved,
      rssi: try reader.int8("RSSI"), data: data)
  }

  func encodeLegacy(into writer: inout ByteWriter) {
    writer.uint8(legacyEventType)
    writer.typedAddress(address ?? BluetoothAddress(0, kind: .public), isResolved: isResolved)
    let sent = data.prefix(LegacyAdvertisingData.capacity)
    writer.uint8(UInt8(sent.count))
    writer.append(sent)
    writer.int8(rssi)
  }

  private var legacyEventType: UInt8 {
    if eventType.contains(.scanResponse) { return 0x04 }
    if eventType.contains(.directed) { return 0x01 }
    if eventType.contains(.connectable) { return 0x00 }
    return eventType.contains(.scannable) ? 0x02 : 0x03
  }

  /// Directed advertising to a resolvable address; its only Event_Type is 0x01, and it has no data.
  init(directed reader: inout ByteReader) throws(ByteCodingError) {
    guard try reader.uint8("Event_Type") == 0x01 else { throw .invalidValue(field: "Event_Type") }
    let (address, isResolved) = try reader.resolvedAddress("Address_Type")
    let direct = try reader.directAddress()
    self.init(
      form: .directed, eventType: Self.legacyEventTypes[1], address: address, isResolved: isResolved,
      directAddress: direct, rssi: try reader.int8("RSSI"), data: [])
  }

  func encodeDirected(into writer: inout ByteWriter) {
    writer.uint8(0x01)
    writer.typedAddress(address ?? BluetoothAddress(0, kind: .public), isResolved: isResolved)
    writer.typedAddress(directAddress ?? BluetoothAddress(0, kind: .random))
    writer.int8(rssi)
  }
}

extension ByteReader {
  /// The target of directed advertising; 0xFE is a random address that the controller could not resolve.
  mutating func directAddress() throws(ByteCodingError) -> BluetoothAddress {
    if peek() == 0xFE {
      try skip(1, "Direct_Address_Type")
      return try BluetoothAddress(from: &self, kind: .random)
    }
    return try typedAddress("Direct_Address_Type")
  }
}
