import LatchkeyByteCoding

/// An advertising packet or scan response that a scan received, in one of three events (Core 6.0 Vol 4 Part E 7.7.65.2,
/// 7.7.65.11, 7.7.65.13).
///
/// Controllers with extended advertising send extended reports, also for legacy packets and legacy scans; a host
/// accepts any form at any time.
package struct LEAdvertisingReport: Sendable, Equatable {
  /// Which event carries the report.
  package enum Form: Sendable, Equatable {
    case legacy
    case directed
    case extended
  }

  /// The kind of packet: the low bits of an extended report's Event_Type, to which legacy ones are mapped.
  package struct EventType: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let connectable = EventType(rawValue: 1 << 0)
    package static let scannable = EventType(rawValue: 1 << 1)
    package static let directed = EventType(rawValue: 1 << 2)
    package static let scanResponse = EventType(rawValue: 1 << 3)
    package static let legacy = EventType(rawValue: 1 << 4)
  }

  /// Whether more data of the same advertisement follows.
  package enum DataStatus: UInt8, Sendable {
    case complete = 0b00
    case incomplete = 0b01
    /// Truncated: no more will follow.
    case truncated = 0b10
  }

  package var form: Form
  package var eventType: EventType
  package var dataStatus: DataStatus
  /// Nil if the advertiser is anonymous.
  package var address: BluetoothAddress?
  /// Whether `address` is an identity address that the controller has found for the private one on the air.
  package var isResolved: Bool
  /// The target of a directed advertisement; nil if the form does not carry one, or it is not directed.
  package var directAddress: BluetoothAddress?
  /// The physical layer of the primary channels: LE 1M or LE Coded.
  package var primaryPHY: LEPHY
  /// That of the secondary channels; nil if there was no packet on them, as in legacy advertising.
  package var secondaryPHY: LEPHY?
  /// The advertising set, 0x00...0x0F; nil if the packets name none, as in legacy advertising.
  package var setIdentifier: UInt8?
  /// dBm; 127 if it is not available.
  package var rssi: Int8
  /// dBm; 127 if it is not available, as in legacy packets.
  package var txPower: Int8
  /// AD structures: at most 31 bytes in legacy reports, 229 in extended ones.
  package var data: [UInt8]

  package init(
    form: Form = .legacy, eventType: EventType, dataStatus: DataStatus = .complete, address: BluetoothAddress?,
    isResolved: Bool = false, directAddress: BluetoothAddress? = nil, primaryPHY: LEPHY = .le1M,
    secondaryPHY: LEPHY? = nil,
    setIdentifier: UInt8? = nil, rssi: Int8, txPower: Int8 = 127, data: [UInt8]
  ) {
    self.form = form
    self.eventType = eventType
    self.dataStatus = dataStatus
    self.address = address
    self.isResolved = isResolved
    self.directAddress = directAddress
    self.primaryPHY = primaryPHY
    self.secondaryPHY = secondaryPHY
    self.setIdentifier = setIdentifier
    self.rssi = rssi
    self.txPower = txPower
    self.data = data
  }

  /// Reads the reports of a subevent, after its code. Each consumes bytes, so their number is bounded.
  static func decode(subevent: UInt8, from reader: inout ByteReader) throws(ByteCodingError) -> [LEAdvertisingReport] {
    let count = try reader.uint8("Num_Reports")
    guard count > 0 else { throw .invalidValue(field: "Num_Reports") }
    var reports: [LEAdvertisingReport] = []
    for _ in 0..<count {
      switch subevent {
      case LEMetaEvent.Code.advertisingReport: reports.append(try LEAdvertisingReport(legacy: &reader))
      case LEMetaEvent.Code.directedAdvertisingReport: reports.append(try LEAdvertisingReport(directed: &reader))
      default: reports.append(try LEAdvertisingReport(extended: &reader))
      }
    }
    return reports
  }

  /// Writes the subevent, its code first, in the form of the first report.
  static func encode(_ reports: [LEAdvertisingReport], into writer: inout ByteWriter) {
    let form = reports.first?.form ?? .legacy
    switch form {
    case .legacy: writer.uint8(LEMetaEvent.Code.advertisingReport)
    case .directed: writer.uint8(LEMetaEvent.Code.directedAdvertisingReport)
    case .extended: writer.uint8(LEMetaEvent.Code.extendedAdvertisingReport)
    }
    writer.uint8(UInt8(truncatingIfNeeded: reports.count))
    for report in reports {
      switch form {
      case .legacy: report.encodeLegacy(into: &writer)
      case .directed: report.encodeDirected(into: &writer)
      case .extended: report.encodeExtended(into: &writer)
      }
    }
  }
}
