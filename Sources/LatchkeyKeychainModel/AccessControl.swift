/// What must be true before an item may be used: its protection class, and constraints on its user
/// (`SecAccessControl`).
public struct AccessControl: Hashable, Sendable {
  /// When the item's keys are there.
  public var protection: Accessibility
  /// The constraints; bits as in Apple's `SecAccessControlCreateFlags`.
  public var flags: Flags

  /// An access control with these parts; which combinations make sense is judged by ``Flags/isConsistent``.
  public init(protection: Accessibility, flags: Flags = []) {
    self.protection = protection
    self.flags = flags
  }

  /// The flags of an access control (`SecAccessControl.h`).
  public struct Flags: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Flags of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Any biometry or the passcode.
    public static let userPresence = Flags(rawValue: 1 << 0)
    /// Any enrolled biometry.
    public static let biometryAny = Flags(rawValue: 1 << 1)
    /// The biometry enrolled when the item was made.
    public static let biometryCurrentSet = Flags(rawValue: 1 << 3)
    /// The passcode.
    public static let devicePasscode = Flags(rawValue: 1 << 4)
    /// A companion device.
    public static let companion = Flags(rawValue: 1 << 5)
    /// One constraint is enough.
    public static let or = Flags(rawValue: 1 << 14)
    /// All constraints must hold.
    public static let and = Flags(rawValue: 1 << 15)
    /// A private key may be used.
    public static let privateKeyUsage = Flags(rawValue: 1 << 30)
    /// The application gives a password of its own.
    public static let applicationPassword = Flags(rawValue: 1 << 31)

    /// All flags that exist.
    public static let all: Flags = [
      .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion, .or, .and, .privateKeyUsage,
      .applicationPassword,
    ]
    /// The flags that ask something of the user or the application.
    public static let constraints: Flags = [
      .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion, .applicationPassword,
    ]
    /// The flags that require user presence, by biometry or the passcode.
    public static let presence: Flags = [.userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode]

    /// Whether `SecAccessControlCreateWithFlags` takes these flags: no unknown bit, not both "or" and "and", not both
    /// kinds of biometry, and user presence with nothing but an application password and private key usage.
    public var isConsistent: Bool {
      if !isSubset(of: .all) { return false }
      if contains([.or, .and]) || contains([.biometryAny, .biometryCurrentSet]) { return false }
      if contains(.userPresence) {
        return isSubset(of: [.userPresence, .applicationPassword, .privateKeyUsage])
      }
      return true
    }
  }

  /// Whether using the item needs somebody's or something's consent.
  public var isConstrained: Bool { !flags.isDisjoint(with: .constraints) }

  /// Whether using the item asks for its user, by biometry or the passcode.
  public var asksForUser: Bool { !flags.isDisjoint(with: .presence) }
}
