package import LatchkeyByteCoding

/// A Bluetooth UUID of 16, 32 or 128 bits (Core 6.0 Vol 3 Part B 2.5.1).
///
/// Two UUIDs are equal when their 128-bit forms are: `180F` equals `0000180F-0000-1000-8000-00805F9B34FB`.
public struct BluetoothUUID: Sendable {
  /// The most significant 64 bits of the 128-bit form.
  package let high: UInt64
  /// The least significant 64 bits of the 128-bit form.
  package let low: UInt64
  /// How many bytes the UUID was made from: 2, 4 or 16.
  public let width: Int

  private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
  private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

  /// A 16-bit UUID.
  public init(_ short: UInt16) {
    high = UInt64(short) << 32 | Self.baseHigh
    low = Self.baseLow
    width = 2
  }

  /// A 32-bit UUID.
  public init(_ short: UInt32) {
    high = UInt64(short) << 32 | Self.baseHigh
    low = Self.baseLow
    width = 4
  }

  /// A 128-bit UUID of its two halves, most significant first.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
    width = 16
  }

  /// A UUID of 2, 4 or 16 bytes, most significant first (the order of text); nil for another length.
  public init?(bigEndian bytes: [UInt8]) {
    self.init(littleEndian: Array(bytes.reversed()))
  }

  /// A UUID of 2, 4 or 16 bytes, least significant first (the order on the air); nil for another length.
  public init?(littleEndian bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let uuid = try? BluetoothUUID(from: &reader, width: bytes.count) else { return nil }
    self = uuid
  }

  /// Reads a UUID of `width` bytes, least significant first.
  package init(from reader: inout ByteReader, width: Int) throws(ByteCodingError) {
    switch width {
    case 2: self.init(try reader.uint16("UUID"))
    case 4: self.init(try reader.uint32("UUID"))
    case 16:
      let low = try reader.uint64("UUID")
      self.init(high: try reader.uint64("UUID"), low: low)
    default: throw .invalidValue(field: "UUID length")
    }
  }

  /// The 16-bit form, if the UUID has one.
  public var short: UInt16? {
    guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh, high >> 48 == 0 else { return nil }
    return UInt16(truncatingIfNeeded: high >> 32)
  }

  /// Writes the UUID as ATT carries it: 16 bits if it has such a form, else 128 (Core 6.0 Vol 3 Part F 3.2.1).
  package func encode(into writer: inout ByteWriter) {
    if let short { writer.uint16(short) } else { encode128(into: &writer) }
  }

  /// Writes all 128 bits, least significant byte first.
  package func encode128(into writer: inout ByteWriter) {
    writer.uint64(low)
    writer.uint64(high)
  }

  /// How many bytes `encode(into:)` writes: 2 or 16.
  package var encodedCount: Int { short == nil ? 16 : 2 }

  /// The bytes in their own width, most significant first.
  public var bigEndianBytes: [UInt8] {
    var writer = ByteWriter(capacity: 16)
    switch width {
    case 2: writer.uint16BigEndian(UInt16(truncatingIfNeeded: high >> 32))
    case 4: writer.uint32BigEndian(UInt32(truncatingIfNeeded: high >> 32))
    default:
      writer.uint64BigEndian(high)
      writer.uint64BigEndian(low)
    }
    return writer.bytes
  }
}

extension BluetoothUUID: Hashable {
  /// Whether the 128-bit forms are the same.
  public static func == (a: BluetoothUUID, b: BluetoothUUID) -> Bool { a.high == b.high && a.low == b.low }

  /// Hashes the 128-bit form.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }
}

extension BluetoothUUID: CustomStringConvertible {
  /// Upper-case digits, in the UUID's own width: `180F`, or the 36 characters of a 128-bit one.
  public var description: String {
    let digits = Hexadecimal.encode(bigEndianBytes).uppercased()
    guard width == 16 else { return digits }
    var text = ""
    for (offset, character) in digits.enumerated() {
      if [8, 12, 16, 20].contains(offset) { text.append("-") }
      text.append(character)
    }
    return text
  }
}

extension BluetoothUUID: ExpressibleByIntegerLiteral {
  /// A 16-bit UUID, as in `let battery: BluetoothUUID = 0x180F`.
  public init(integerLiteral value: UInt16) { self.init(value) }
}
