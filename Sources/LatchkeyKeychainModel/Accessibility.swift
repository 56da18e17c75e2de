/// The lock states in which an item's data can be read, and whether it may leave this device (`kSecAttrAccessible`). The
/// raw values are Apple's codes.
public enum Accessibility: String, CaseIterable, Hashable, Sendable {
  /// While unlocked: `kSecAttrAccessibleWhenUnlocked`.
  case whenUnlocked = "ak"
  /// From the first unlock of the process on: `kSecAttrAccessibleAfterFirstUnlock`.
  case afterFirstUnlock = "ck"
  /// Always: `kSecAttrAccessibleAlways`.
  case always = "dk"
  /// While unlocked, not backed up: `kSecAttrAccessibleWhenUnlockedThisDeviceOnly`.
  case whenUnlockedThisDeviceOnly = "aku"
  /// From the first unlock on, not backed up: `kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`.
  case afterFirstUnlockThisDeviceOnly = "cku"
  /// Always, not backed up: `kSecAttrAccessibleAlwaysThisDeviceOnly`.
  case alwaysThisDeviceOnly = "dku"
  /// While unlocked, on a device with a passcode, not backed up, and deleted with the passcode:
  /// `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly`.
  case whenPasscodeSetThisDeviceOnly = "akpu"

  /// The lock states in which the item can be read.
  public var availability: Availability {
    switch self {
    case .always, .alwaysThisDeviceOnly: .always
    case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: .afterFirstUnlock
    case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly: .whileUnlocked
    }
  }

  /// Whether the item stays on this device: never in a backup, never synchronized.
  public var isThisDeviceOnly: Bool {
    switch self {
    case .whenUnlocked, .afterFirstUnlock, .always: false
    default: true
    }
  }

  /// The lock states in which keys are available.
  public enum Availability: Hashable, Sendable { case always, afterFirstUnlock, whileUnlocked }
}

extension Accessibility {
  /// The name on the command line: Apple's constant without its prefix `kSecAttrAccessible`.
  package var commandName: String {
    switch self {
    case .whenUnlocked: "when-unlocked"
    case .afterFirstUnlock: "after-first-unlock"
    case .always: "always"
    case .whenUnlockedThisDeviceOnly: "when-unlocked-this-device-only"
    case .afterFirstUnlockThisDeviceOnly: "after-first-unlock-this-device-only"
    case .alwaysThisDeviceOnly: "always-this-device-only"
    case .whenPasscodeSetThisDeviceOnly: "when-passcode-set-this-device-only"
    }
  }
}

/// The state of the keychain's lock in this process. Each process has its own.
public enum LockState: String, Hashable, Sendable {
  /// A passcode is set, and this process has not supplied it yet.
  case beforeFirstUnlock
  /// Locked again after an unlock.
  case locked
  /// Unlocked. A keychain without a passcode is always unlocked.
  case unlocked

  /// Whether items of this accessibility can be read and written now.
  public func permits(_ accessibility: Accessibility) -> Bool {
    switch accessibility.availability {
    case .always: true
    case .afterFirstUnlock: self != .beforeFirstUnlock
    case .whileUnlocked: self == .unlocked
    }
  }
}
