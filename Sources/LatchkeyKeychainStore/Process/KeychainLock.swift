import LatchkeyByteCoding
public import LatchkeyKeychainModel

/// The lock of this process's keychain: Apple's systems have it in the screen's lock, a Linux process has it here.
///
/// A keychain without a passcode is always unlocked. One with a passcode starts before its first unlock, unless the
/// service has the systemd credential `latchkey.passcode` or `LATCHKEY_PASSCODE_FILE` names a file with it. Each process
/// has a lock of its own. In a test these are about the keychain that the test has put in the place of the process's.
public enum KeychainLock {
  /// Unlocks the keychain.
  ///
  /// - Throws: `StoreError.wrongPasscode`; `.passcodeDelayed` after too many of those; `.passcodeNotSet` if there is
  ///   none; what opening the keychain throws.
  public static func unlock(passcode: String) throws(StoreError) {
    var bytes = Array(passcode.utf8)
    defer { bytes.wipe() }
    if let replacement = try replacement() {
      try replacement.unlock(passcode: bytes)
    } else {
      try ProcessKeychain.shared.unlock(passcode: bytes)
    }
  }

  /// Locks the keychain: items of the WhenUnlocked accessibilities are out of reach from now on, and a passcode in the
  /// environment no longer unlocks it. Without a passcode it stays unlocked.
  public static func lock() {
    if let session = KeychainSession.replacement {
      (session.store as? KeychainDatabase)?.lock()
    } else {
      ProcessKeychain.shared.lock()
    }
  }

  /// Where the lock stands.
  public static var state: LockState {
    get throws(StoreError) { try KeychainSession.current().store.lockState }
  }

  private static func replacement() throws(StoreError) -> KeychainDatabase? {
    guard let session = KeychainSession.replacement else { return nil }
    guard let database = session.store as? KeychainDatabase else {
      throw .configuration("the keychain in use has no passcode: put a KeychainDatabase in its place")
    }
    return database
  }
}
