package import LatchkeyByteCoding

/// A Bluetooth device address with its type (Core 6.0 Vol 6 Part B 1.3).
public struct BluetoothAddress: Hashable, Sendable {
  /// Whether an address was assigned by the IEEE or drawn by its device.
  public enum Kind: UInt8, Sendable {
    /// A public device address.
    case `public` = 0x00
    /// A random device address: static, resolvable private or non-resolvable private.
    case random = 0x01
  }

  /// The 48 bits as a number; the most significant byte is the one that is printed first.
  public let value: UInt64
  /// Public or random.
  public let kind: Kind

  /// An address of the low 48 bits of `value`.
  public init(_ value: UInt64, kind: Kind) {
    self.value = value & 0xFFFF_FFFF_FFFF
    self.kind = kind
  }

  /// A static random address (the two top bits set, Core 6.0 Vol 6 Part B 1.3.2.1) made of the other bits of `value`.
  public static func staticRandom(_ value: UInt64) -> BluetoothAddress {
    BluetoothAddress(value | 0xC000_0000_0000, kind: .random)
  }

  /// Whether it is a resolvable private address: random, its two top bits 01 (Core 6.0 Vol 6 Part B 1.3.2.2).
  package var isResolvable: Bool { kind == .random && value >> 46 == 0b01 }

  /// Reads the six bytes of an address as HCI carries them, least significant first.
  package init(from reader: inout ByteReader, kind: Kind) throws(ByteCodingError) {
    let low = try reader.uint32("address")
    self.init(UInt64(low) | UInt64(try reader.uint16("address")) << 32, kind: kind)
  }

  /// Writes the six bytes as HCI carries them.
  package func encode(into writer: inout ByteWriter) {
    writer.uint32(UInt32(truncatingIfNeeded: value))
    writer.uint16(UInt16(truncatingIfNeeded: value >> 32))
  }
}

extension BluetoothAddress: CustomStringConvertible {
  /// Six pairs of digits with colons, most significant first: `C0:FF:EE:00:00:01`.
  public var description: String {
    var writer = ByteWriter(capacity: 8)
    writer.uint64BigEndian(value)
    return writer.bytes.dropFirst(2).map { Hexadecimal.encode([$0]).uppercased() }.joined(separator: ":")
  }
}
