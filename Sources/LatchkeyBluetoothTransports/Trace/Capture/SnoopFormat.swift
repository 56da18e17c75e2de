/// The btsnoop capture format: RFC 1761's snoop with Bluetooth's link types, flags and epoch. All numbers are big endian.
enum SnoopFormat {
  /// The type of a file's records.
  enum LinkType: UInt32 {
    /// The packets of one controller without their indicator: the flags tell which they are.
    case plain = 1001
    /// The H4 packets of one controller, their indicator first.
    case h4 = 1002
    /// Records of Linux's monitor channel for several controllers, each with a number (`doc/btmon.txt` of BlueZ).
    case monitor = 2001
  }

  /// What a file begins with.
  static let magic = Array("btsnoop\0".utf8)
  /// The only version.
  static let version: UInt32 = 1

  /// From the first instant of year 0, in the proleptic Gregorian calendar, to 1970, microseconds.
  static let epochOffset: UInt64 = 62_168_256_000_000_000
}

/// The type of a record of the monitor channel: the lower half of its flags; the upper half is the controller's number.
enum MonitorOpcode: UInt16 {
  case newIndex = 0
  case deleteIndex = 1
  case command = 2
  case event = 3
  case sentACL = 4
  case receivedACL = 5
  case sentSCO = 6
  case receivedSCO = 7
  case vendorDiagnostics = 11
  case sentISO = 18
  case receivedISO = 19

  /// The type of an H4 packet; nil for an unknown indicator.
  init?(indicator: UInt8?, _ direction: PacketDirection) {
    switch (indicator, direction) {
    case (0x01, _): self = .command
    case (0x02, .toController): self = .sentACL
    case (0x02, .fromController): self = .receivedACL
    case (0x03, .toController): self = .sentSCO
    case (0x03, .fromController): self = .receivedSCO
    case (0x04, _): self = .event
    case (0x05, .toController): self = .sentISO
    case (0x05, .fromController): self = .receivedISO
    default: return nil
    }
  }

  func flags(of index: UInt16) -> UInt32 { UInt32(index) << 16 | UInt32(rawValue) }
}
