/// The conditions for using an item: its protection class, and constraints on its user (`SecAccessControl`).
public struct AccessControl: Hashable, Sendable {
  /// The lock states in which the item's keys are available.
  public var protection: Accessibility
  /// The constraints; bits as in Apple's `SecAccessControlCreateFlags`.
  public var flags: Flags

  /// Creates an access control from its parts. ``Flags/isConsistent`` validates the combination of flags.
  public init(protection: Accessibility, flags: Flags = []) {
    self.protection = protection
    self.flags = flags
  }

  /// The flags of an access control (`SecAccessControl.h`).
  public struct Flags: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Creates flags from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Any biometry or the passcode.
    public static let userPresence = Flags(rawValue: 1 << 0)
    /// Any enrolled biometry.
    public static let biometryAny = Flags(rawValue: 1 << 1)
    /// The biometry that was enrolled at the item's creation.
    public static let biometryCurrentSet = Flags(rawValue: 1 << 3)
    /// The passcode.
    public static let devicePasscode = Flags(rawValue: 1 << 4)
    /// A companion device.
    public static let companion = Flags(rawValue: 1 << 5)
    /// One constraint is enough.
    public static let or = Flags(rawValue: 1 << 14)
    /// All constraints must hold.
    public static let and = Flags(rawValue: 1 << 15)
    /// The private key may be used.
    public static let privateKeyUsage = Flags(rawValue: 1 << 30)
    /// A password that the application supplies.
    public static let applicationPassword = Flags(rawValue: 1 << 31)

    /// All known flags.
    public static let all: Flags = [
      .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion, .or, .and, .privateKeyUsage,
      .applicationPassword,
    ]
    /// The flags that require an action of the user or the application.
    public static let constraints: Flags = [
      .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion, .applicationPassword,
    ]
    /// The flags that require user presence, by biometry or the passcode.
    public static let presence: Flags = [.userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode]

    /// Whether `SecAccessControlCreateWithFlags` accepts these flags: no unknown bit, not both "or" and "and", not both
    /// kinds of biometry, and user presence only with an application password and private key usage.
    public var isConsistent: Bool {
      if !isSubset(of: .all) { return false }
      if contains([.or, .and]) || contains([.biometryAny, .biometryCurrentSet]) { return false }
      if contains(.userPresence) {
        return isSubset(of: [.userPresence, .applicationPassword, .privateKeyUsage])
      }
      return true
    }
  }

  /// Whether using the item requires consent of the user, a companion or the application.
  public var isConstrained: Bool { !flags.isDisjoint(with: .constraints) }

  /// Whether using the item requires user presence, by biometry or the passcode.
  public var asksForUser: Bool { !flags.isDisjoint(with: .presence) }
}
