/// The indicator before each packet of the UART transport (Core 6.0 Vol 4 Part A 2).
package enum HCIPacketType: UInt8, Sendable {
  case command = 0x01
  case acl = 0x02
  case synchronous = 0x03
  case event = 0x04
  case isochronous = 0x05

  /// The type of a whole packet, by its first byte; nil if it has none or an unknown one.
  @inlinable
  package init?(of packet: borrowing [UInt8]) {
    guard let indicator = packet.first else { return nil }
    self.init(rawValue: indicator)
  }
}
