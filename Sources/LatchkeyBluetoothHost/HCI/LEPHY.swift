package import LatchkeyByteCoding

/// A physical layer of the radio (Core 6.0 Vol 6 Part B 2, Vol 4 Part E 7.7.65.12).
public enum LEPHY: UInt8, Sendable, Hashable, CaseIterable {
  /// One million symbols a second: what every device can do.
  case le1M = 0x01
  /// Two million symbols a second: half the time on the air, for less range. Not for primary advertising channels.
  case le2M = 0x02
  /// One million symbols a second with error correction: more range, for eight times the time on the air at most.
  case leCoded = 0x03

  package init(from reader: inout ByteReader, _ field: StaticString) throws(ByteCodingError) {
    guard let phy = LEPHY(rawValue: try reader.uint8(field)) else { throw .invalidValue(field: field) }
    self = phy
  }
}

/// A set of physical layers, one bit each, as commands name them (Core 6.0 Vol 4 Part E 7.8.64, 7.8.66).
package struct LEPHYs: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let le1M = LEPHYs(rawValue: 1 << 0)
  package static let le2M = LEPHYs(rawValue: 1 << 1)
  package static let leCoded = LEPHYs(rawValue: 1 << 2)

  /// The set of one.
  package init(_ phy: LEPHY) { self.init(rawValue: 1 << (phy.rawValue - 1)) }

  /// The layers in the order of their bits, in which commands list their parameters. Unknown bits are left out.
  package var all: [LEPHY] { LEPHY.allCases.filter { contains(LEPHYs($0)) } }
}
