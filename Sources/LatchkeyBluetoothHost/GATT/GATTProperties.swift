/// The properties in a characteristic's declaration (Core 6.0 Vol 3 Part G 3.3.1.1).
public struct GATTProperties: OptionSet, Hashable, Sendable {
  /// The bits as the air carries them.
  public let rawValue: UInt8
  /// Properties of these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The value may be broadcast.
  public static let broadcast = GATTProperties(rawValue: 0x01)
  /// The value may be read.
  public static let read = GATTProperties(rawValue: 0x02)
  /// The value may be written by Write Command.
  public static let writeWithoutResponse = GATTProperties(rawValue: 0x04)
  /// The value may be written by Write Request.
  public static let write = GATTProperties(rawValue: 0x08)
  /// The value may be notified.
  public static let notify = GATTProperties(rawValue: 0x10)
  /// The value may be indicated.
  public static let indicate = GATTProperties(rawValue: 0x20)
  /// The value may be written by Signed Write Command.
  public static let authenticatedSignedWrites = GATTProperties(rawValue: 0x40)
  /// More properties stand in a descriptor.
  public static let extendedProperties = GATTProperties(rawValue: 0x80)
}

/// The accesses that a server permits to an attribute (Core 6.0 Vol 3 Part F 3.2.5).
public struct GATTPermissions: OptionSet, Hashable, Sendable {
  /// The bits; they never go on the air.
  public let rawValue: UInt8
  /// Permissions of these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// May be read.
  public static let readable = GATTPermissions(rawValue: 0x01)
  /// May be written.
  public static let writeable = GATTPermissions(rawValue: 0x02)
  /// May be read on an encrypted link only.
  public static let readEncryptionRequired = GATTPermissions(rawValue: 0x04)
  /// May be written on an encrypted link only.
  public static let writeEncryptionRequired = GATTPermissions(rawValue: 0x08)
  /// May be read on a link alone that is encrypted with an authenticated key.
  package static let readAuthenticationRequired = GATTPermissions(rawValue: 0x10)
  /// May be written on a link alone that is encrypted with an authenticated key.
  package static let writeAuthenticationRequired = GATTPermissions(rawValue: 0x20)

  /// All that concern reads.
  static let reading = GATTPermissions(rawValue: 0x01 | 0x04 | 0x10)
  /// All that concern writes.
  static let writing = GATTPermissions(rawValue: 0x02 | 0x08 | 0x20)
  /// All that need an encrypted link.
  static let guarded = GATTPermissions(rawValue: 0x04 | 0x08 | 0x10 | 0x20)
}
