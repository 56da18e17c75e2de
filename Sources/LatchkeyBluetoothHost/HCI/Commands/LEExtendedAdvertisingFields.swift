package import LatchkeyByteCoding

// Fields of extended advertising (Core 6.0 Vol 4 Part E 7.8.53 to 7.8.56).

/// The number by which a host names one of its advertising sets, 0x00...0xEF.
package struct AdvertisingHandle: RawRepresentable, Hashable, Sendable {
  package static let highest: UInt8 = 0xEF

  package let rawValue: UInt8

  /// A number above `highest` is clamped to it.
  package init(rawValue: UInt8) { self.rawValue = min(rawValue, Self.highest) }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    let value = try reader.uint8("Advertising_Handle")
    guard value <= Self.highest else { throw .invalidValue(field: "Advertising_Handle") }
    rawValue = value
  }

  package func encode(into writer: inout ByteWriter) { writer.uint8(rawValue) }
}

/// The kind of packets that a set sends (7.8.53, Advertising_Event_Properties).
package struct AdvertisingEventProperties: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let connectable = AdvertisingEventProperties(rawValue: 1 << 0)
  package static let scannable = AdvertisingEventProperties(rawValue: 1 << 1)
  package static let directed = AdvertisingEventProperties(rawValue: 1 << 2)
  package static let highDutyCycle = AdvertisingEventProperties(rawValue: 1 << 3)
  /// The packets of legacy advertising, which every scanner receives.
  package static let legacy = AdvertisingEventProperties(rawValue: 1 << 4)
  /// Without the address of the advertiser.
  package static let anonymous = AdvertisingEventProperties(rawValue: 1 << 5)
  package static let includesTxPower = AdvertisingEventProperties(rawValue: 1 << 6)

  /// ADV_IND, ADV_DIRECT_IND with a low and a high duty cycle, ADV_SCAN_IND, ADV_NONCONN_IND: the only ones that are
  /// allowed with legacy packets.
  private static let legacyKinds: [AdvertisingEventProperties] = [
    [.legacy, .connectable, .scannable], [.legacy, .connectable, .directed],
    [.legacy, .connectable, .directed, .highDutyCycle], [.legacy, .scannable], [.legacy],
  ]

  /// All that have a name here; the others are reserved, or need features that no controller here has.
  private static let known = AdvertisingEventProperties(rawValue: 0x7F)

  /// Whether the specification allows this combination.
  package var isAllowed: Bool {
    guard isSubset(of: Self.known) else { return false }
    if contains(.legacy) { return Self.legacyKinds.contains(self) }
    if contains(.highDutyCycle) || contains([.connectable, .scannable]) { return false }
    return !contains(.anonymous) || isDisjoint(with: [.connectable, .scannable])
  }
}

/// Which part of the data a command has (7.8.54, Operation).
package enum AdvertisingDataOperation: UInt8, Sendable {
  case intermediate = 0x00
  case first = 0x01
  case last = 0x02
  case complete = 0x03
  /// The data stay; the controller draws a new DID.
  case unchanged = 0x04

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    guard let operation = AdvertisingDataOperation(rawValue: try reader.uint8("Operation")) else {
      throw .invalidValue(field: "Operation")
    }
    self = operation
  }
}

/// A part of the data of an advertising set: what the commands for advertisements and for scan responses share (7.8.54,
/// 7.8.55).
package struct AdvertisingDataFragment: Sendable, Equatable {
  /// The most data in one command.
  package static let capacity = 251
  /// The most data of a set, in all its parts (Vol 6 Part B 2.3.4.9).
  package static let totalCapacity = 1650

  package var handle: AdvertisingHandle
  package var operation: AdvertisingDataOperation
  /// Whether the controller should not spread the data over more packets than it must.
  package var avoidsFragmentation: Bool
  package let data: [UInt8]

  /// Nil if there are more than 251 bytes.
  package init?(
    handle: AdvertisingHandle, operation: AdvertisingDataOperation = .complete, avoidsFragmentation: Bool = true,
    data: [UInt8]
  ) {
    guard data.count <= Self.capacity else { return nil }
    self.handle = handle
    self.operation = operation
    self.avoidsFragmentation = avoidsFragmentation
    self.data = data
  }

  /// The parts in which a controller is given `data`; what exceeds the capacity of a set is cut off.
  package static func fragments(of data: [UInt8], handle: AdvertisingHandle) -> [AdvertisingDataFragment] {
    let data = data.prefix(totalCapacity)
    let starts = data.isEmpty ? [0] : Array(stride(from: 0, to: data.count, by: capacity))
    return starts.compactMap { start in
      let isFirst = start == 0
      let isLast = start + capacity >= data.count
      let operation: AdvertisingDataOperation =
        switch (isFirst, isLast) {
        case (true, true): .complete
        case (true, false): .first
        case (false, true): .last
        case (false, false): .intermediate
        }
      return AdvertisingDataFragment(
        handle: handle, operation: operation, data: Array(data[start..<min(start + capacity, data.count)]))
    }
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    handle = try AdvertisingHandle(from: &reader)
    operation = try AdvertisingDataOperation(from: &reader)
    avoidsFragmentation = try reader.flag("Fragment_Preference")
    let count = Int(try reader.uint8("Advertising_Data_Length"))
    guard count <= Self.capacity else { throw .invalidValue(field: "Advertising_Data_Length") }
    data = try reader.bytes(count, "Advertising_Data")
  }

  package func encode(into writer: inout ByteWriter) {
    handle.encode(into: &writer)
    writer.uint8(operation.rawValue)
    writer.flag(avoidsFragmentation)
    writer.uint8(UInt8(data.count))
    writer.append(data)
  }
}
