/// What using an item asks for (Apple, SecAccessControl.h, `SecAccessControlCreateFlags`).
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
  /// The bits.
  public let rawValue: CFOptionFlags

  /// Flags of these bits.
  public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

  /// Biometry or the passcode, whichever the user has.
  public static let userPresence = SecAccessControlCreateFlags(rawValue: 1 << 0)

  /// Any biometry that is enrolled when the item is used.
  public static let biometryAny = SecAccessControlCreateFlags(rawValue: 1 << 1)

  /// The older name of ``biometryAny``.
  @available(*, deprecated, renamed: "biometryAny")
  public static let touchIDAny = SecAccessControlCreateFlags(rawValue: 1 << 1)

  /// The biometry that was enrolled when the item was made: it is lost when that changes.
  public static let biometryCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)

  /// The older name of ``biometryCurrentSet``.
  @available(*, deprecated, renamed: "biometryCurrentSet")
  public static let touchIDCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)

  /// The passcode.
  public static let devicePasscode = SecAccessControlCreateFlags(rawValue: 1 << 4)

  /// The older name of ``companion``.
  @available(*, deprecated, renamed: "companion")
  public static let watch = SecAccessControlCreateFlags(rawValue: 1 << 5)

  /// A paired device, such as a watch.
  public static let companion = SecAccessControlCreateFlags(rawValue: 1 << 5)

  /// Of several constraints, one is enough.
  public static let or = SecAccessControlCreateFlags(rawValue: 1 << 14)

  /// Of several constraints, all must hold; it is so without this flag, too.
  public static let and = SecAccessControlCreateFlags(rawValue: 1 << 15)

  /// A private key may be used, to sign for instance.
  public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)

  /// The application gives a password of its own, from which the item's key is derived.
  public static let applicationPassword = SecAccessControlCreateFlags(rawValue: 1 << 31)
}
