/// What a local characteristic lets peers do, whatever its properties say.
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
