extension Keychain {
  /// When an item's data can be read (`kSecAttrAccessible`), by Apple's codes.
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
    /// While it is unlocked and has a passcode; goes with the passcode, and never leaves this device.
    case whenPasscodeSetThisDeviceOnly = "akpu"
  }
}
