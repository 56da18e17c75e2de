package import LatchkeyByteCoding

// Extended scanning (Core 6.0 Vol 4 Part E).

/// Sets how to scan, on which physical layers; not allowed while scanning (7.8.64).
package struct HCILESetExtendedScanParameters: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetExtendedScanParameters

  /// How to scan on one physical layer.
  package struct Scan: Sendable, Hashable {
    /// Whether to send scan requests.
    package var isActive: Bool
    /// Units of 0.625 ms, 0x0004...0xFFFF.
    package var interval: UInt16
    /// Units of 0.625 ms, at most the interval.
    package var window: UInt16

    package init(isActive: Bool = true, interval: UInt16 = 0x0010, window: UInt16 = 0x0010) {
      self.isActive = isActive
      self.interval = interval
      self.window = window
    }
  }

  package var ownAddressKind: OwnAddressKind
  /// 0x00 reports every advertiser.
  package var filterPolicy: UInt8
  /// LE 1M, LE Coded, or both.
  package var phys: LEPHYs
  /// One for each of `phys`, in the order of their bits.
  package var scans: [Scan]

  /// The same way of scanning on each of `phys`.
  package init(ownAddressKind: OwnAddressKind, filterPolicy: UInt8 = 0x00, phys: LEPHYs = .le1M, scan: Scan) {
    self.ownAddressKind = ownAddressKind
    self.filterPolicy = filterPolicy
    self.phys = phys
    scans = phys.all.map { _ in scan }
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    ownAddressKind = try reader.ownAddressKind()
    filterPolicy = try reader.uint8("Scanning_Filter_Policy")
    phys = LEPHYs(rawValue: try reader.uint8("Scanning_PHYs"))
    guard !phys.isEmpty, phys.isSubset(of: [.le1M, .leCoded]) else { throw .invalidValue(field: "Scanning_PHYs") }
    scans = []
    for _ in phys.all {
      let isActive = try reader.flag("Scan_Type")
      let interval = try reader.uint16("Scan_Interval")
      scans.append(Scan(isActive: isActive, interval: interval, window: try reader.uint16("Scan_Window")))
    }
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint8(ownAddressKind.rawValue)
    writer.uint8(filterPolicy)
    writer.uint8(phys.rawValue)
    for scan in scans {
      writer.flag(scan.isActive)
      writer.uint16(scan.interval)
      writer.uint16(scan.window)
    }
  }
}

/// Starts or ends scanning (7.8.65).
package struct HCILESetExtendedScanEnable: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetExtendedScanEnable

  /// Which repeated reports the controller drops.
  package enum DuplicateFilter: UInt8, Sendable {
    case off = 0x00
    case on = 0x01
    /// Forgets at the beginning of each period.
    case renewedEachPeriod = 0x02
  }

  package var isEnabled: Bool
  package var duplicateFilter: DuplicateFilter
  /// Units of 10 ms; 0 scans until it is ended.
  package var duration: UInt16
  /// Units of 1.28 s; 0 scans once.
  package var period: UInt16

  package init(
    isEnabled: Bool, duplicateFilter: DuplicateFilter = .off, duration: UInt16 = 0, period: UInt16 = 0
  ) {
    self.isEnabled = isEnabled
    self.duplicateFilter = duplicateFilter
    self.duration = duration
    self.period = period
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    isEnabled = try reader.flag("Enable")
    guard let filter = DuplicateFilter(rawValue: try reader.uint8("Filter_Duplicates")) else {
      throw .invalidValue(field: "Filter_Duplicates")
    }
    duplicateFilter = filter
    duration = try reader.uint16("Duration")
    period = try reader.uint16("Period")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.flag(isEnabled)
    writer.uint8(duplicateFilter.rawValue)
    writer.uint16(duration)
    writer.uint16(period)
  }
}
