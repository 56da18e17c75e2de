/// The operations that a characteristic offers (Core 6.0 Vol 3 Part G 3.3.1.1).
public struct CBCharacteristicProperties: OptionSet, Sendable {
  /// The bits; the low eight are sent over the air.
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
  /// Further properties are in a descriptor. Not for local characteristics.
  public static let extendedProperties = CBCharacteristicProperties(rawValue: 0x80)
  /// Only trusted devices may subscribe. For local characteristics alone.
  public static let notifyEncryptionRequired = CBCharacteristicProperties(rawValue: 0x100)
  /// Only trusted devices may subscribe to indications. For local characteristics alone.
  public static let indicateEncryptionRequired = CBCharacteristicProperties(rawValue: 0x200)
}

/// Whether a write has a response.
public enum CBCharacteristicWriteType: Int, Sendable {
  /// The peer answers, and the delegate gets a callback.
  case withResponse = 0
  /// There is no answer.
  case withoutResponse = 1
}

/// The accesses that a local characteristic permits to peers, whatever its properties are.
public struct CBAttributePermissions: OptionSet, Sendable {
  /// The bits; they never go on the air.
  public let rawValue: UInt
  /// Permissions of these bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// May be read.
  public static let readable = CBAttributePermissions(rawValue: 0x01)
  /// May be written.
  public static let writeable = CBAttributePermissions(rawValue: 0x02)
  /// May be read by trusted devices.
  public static let readEncryptionRequired = CBAttributePermissions(rawValue: 0x04)
  /// May be written by trusted devices.
  public static let writeEncryptionRequired = CBAttributePermissions(rawValue: 0x08)
}
