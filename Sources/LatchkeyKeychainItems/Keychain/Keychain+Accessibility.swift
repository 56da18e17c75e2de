extension Keychain {
  /// The times at which an item's data is readable (`kSecAttrAccessible`), by Apple's codes.
  public enum Accessibility: String, CaseIterable, Hashable, Sendable {
    /// While the keychain is unlocked.
    case whenUnlocked = "ak"
    /// From the first unlock on.
    case afterFirstUnlock = "ck"
    /// Always.
    case always = "dk"
    /// While it is unlocked; never leaves this device.
    case whenUnlockedThisDeviceOnly = "aku"
    /// From the first unlock on; never leaves this device.
    case afterFirstUnlockThisDeviceOnly = "cku"
    /// Always; never leaves this device.
    case alwaysThisDeviceOnly = "dku"
    /// While it is unlocked and has a passcode; deleted with the passcode, and never leaves this device.
    case whenPasscodeSetThisDeviceOnly = "akpu"
  }
}
