package import LatchkeyByteCoding

/// The kinds of legacy advertising (Core 6.0 Vol 4 Part E 7.8.5).
package enum LEAdvertisingType: UInt8, Sendable {
  /// ADV_IND: accepts connections and scan requests.
  case connectable = 0x00
  /// ADV_DIRECT_IND, for 1.28 s.
  case directedHighDutyCycle = 0x01
  /// ADV_SCAN_IND: accepts scan requests.
  case scannable = 0x02
  /// ADV_NONCONN_IND: accepts neither.
  case nonConnectable = 0x03
  /// ADV_DIRECT_IND, until it is ended.
  case directedLowDutyCycle = 0x04

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    guard let type = LEAdvertisingType(rawValue: try reader.uint8("Advertising_Type")) else {
      throw .invalidValue(field: "Advertising_Type")
    }
    self = type
  }
}

/// The data of one legacy advertising packet: the commands carry its length, then always 31 bytes
/// (Core 6.0 Vol 4 Part E 7.8.7, 7.8.8).
package struct LegacyAdvertisingData: Sendable, Equatable {
  /// How many bytes a legacy advertising packet holds.
  package static let capacity = 31

  package let bytes: [UInt8]

  /// Nil if there are more than 31 bytes.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.capacity else { return nil }
    self.bytes = bytes
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    let count = Int(try reader.uint8("Advertising_Data_Length"))
    guard count <= Self.capacity else { throw .invalidValue(field: "Advertising_Data_Length") }
    bytes = try reader.bytes(count, "Advertising_Data")
    try reader.skip(Self.capacity - count, "Advertising_Data")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint8(UInt8(bytes.count))
    writer.append(bytes)
    writer.zeros(Self.capacity - bytes.count)
  }
}
