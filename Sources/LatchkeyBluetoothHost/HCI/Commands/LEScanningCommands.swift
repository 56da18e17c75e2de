package import LatchkeyByteCoding

// Legacy scanning (Core 6.0 Vol 4 Part E).

/// Sets how to scan; not allowed while scanning (7.8.10).
package struct HCILESetScanParameters: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetScanParameters

  /// Whether to send scan requests.
  package var isActive: Bool
  /// Units of 0.625 ms, 0x0004...0x4000.
  package var interval: UInt16
  /// Units of 0.625 ms, at most the interval.
  package var window: UInt16
  package var ownAddressKind: OwnAddressKind
  /// 0x00 reports every advertiser.
  package var filterPolicy: UInt8

  package init(
    isActive: Bool = true, interval: UInt16 = 0x0010, window: UInt16 = 0x0010, ownAddressKind: OwnAddressKind,
    filterPolicy: UInt8 = 0x00
  ) {
    self.isActive = isActive
    self.interval = interval
    self.window = window
    self.ownAddressKind = ownAddressKind
    self.filterPolicy = filterPolicy
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    isActive = try reader.flag("LE_Scan_Type")
    interval = try reader.uint16("LE_Scan_Interval")
    window = try reader.uint16("LE_Scan_Window")
    ownAddressKind = try reader.ownAddressKind()
    filterPolicy = try reader.uint8("Scanning_Filter_Policy")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.flag(isActive)
    writer.uint16(interval)
    writer.uint16(window)
    writer.uint8(ownAddressKind.rawValue)
    writer.uint8(filterPolicy)
  }
}

/// Starts or ends scanning (7.8.11).
package struct HCILESetScanEnable: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetScanEnable

  package var isEnabled: Bool
  /// Whether each advertiser is reported only once.
  package var filtersDuplicates: Bool

  package init(isEnabled: Bool, filtersDuplicates: Bool = false) {
    self.isEnabled = isEnabled
    self.filtersDuplicates = filtersDuplicates
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    isEnabled = try reader.flag("LE_Scan_Enable")
    filtersDuplicates = try reader.flag("Filter_Duplicates")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.flag(isEnabled)
    writer.flag(filtersDuplicates)
  }
}
