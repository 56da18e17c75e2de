/// The constraints on using an item (Apple, SecAccessControl.h, `SecAccessControlCreateFlags`).
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
  /// The bits.
  public let rawValue: CFOptionFlags

  /// Creates flags from their bits.
  public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

  /// Biometry or the passcode.
  public static let userPresence = SecAccessControlCreateFlags(rawValue: 1 << 0)

  /// Any biometry that is enrolled at the time of use.
  public static let biometryAny = SecAccessControlCreateFlags(rawValue: 1 << 1)

  /// The older name of ``biometryAny``.
  @available(*, deprecated, renamed: "biometryAny")
  public static let touchIDAny = SecAccessControlCreateFlags(rawValue: 1 << 1)

  /// The biometry that was enrolled at the item's creation. A change of the enrollment invalidates the item.
  public static let biometryCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)

  /// The older name of ``biometryCurrentSet``.
  @available(*, deprecated, renamed: "biometryCurrentSet")
  public static let touchIDCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)

  /// The passcode.
  public static let devicePasscode = SecAccessControlCreateFlags(rawValue: 1 << 4)

  /// The older name of ``companion``.
  @available(*, deprecated, renamed: "companion")
  public static let watch = SecAccessControlCreateFlags(rawValue: 1 << 5)

  /// A companion device, such as a watch.
  public static let companion = SecAccessControlCreateFlags(rawValue: 1 << 5)

  /// One of several constraints is enough.
  public static let or = SecAccessControlCreateFlags(rawValue: 1 << 14)

  /// All of several constraints must hold, which is also the default.
  public static let and = SecAccessControlCreateFlags(rawValue: 1 << 15)

  /// The private key may be used, for example to sign.
  public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)

  /// A password that the application supplies, from which the item's key is derived.
  public static let applicationPassword = SecAccessControlCreateFlags(rawValue: 1 << 31)
}
