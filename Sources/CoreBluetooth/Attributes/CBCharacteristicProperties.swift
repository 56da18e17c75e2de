/// What may be done with a characteristic (Core 6.0 Vol 3 Part G 3.3.1.1).
public struct CBCharacteristicProperties: OptionSet, Sendable {
  /// The bits; the low eight are those of the air.
  public let rawValue: UInt
  /// Properties of these bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The value may be broadcast. Not for local characteristics.
  public static let broadcast = CBCharacteristicProperties(rawValue: 0x01)
  /// The value may be read.
  public static let read = CBCharacteristicProperties(rawValue: 0x02)
  /// The value may be written without a response.
  public static let writeWithoutResponse = CBCharacteristicProperties(rawValue: 0x04)
  /// The value may be written, with a response.
  public static let write = CBCharacteristicProperties(rawValue: 0x08)
  /// The value may be notified, without confirmation.
  public static let notify = CBCharacteristicProperties(rawValue: 0x10)
  /// The value may be indicated, with confirmation.
  public static let indicate = CBCharacteristicProperties(rawValue: 0x20)
  /// The value may be written with a signature and without a response.
  public static let authenticatedSignedWrites = CBCharacteristicProperties(rawValue: 0x40)
  /// More properties stand in a descriptor. Not for local characteristics.
  public static let extendedProperties = CBCharacteristicProperties(rawValue: 0x80)
  /// Only trusted devices may subscribe. For local characteristics alone.
  public static let notifyEncryptionRequired = CBCharacteristicProperties(rawValue: 0x100)
  /// Only trusted devices may subscribe to indications. For local characteristics alone.
  public static let indicateEncryptionRequired = CBCharacteristicProperties(rawValue: 0x200)
}
