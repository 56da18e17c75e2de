import LatchkeyByteCoding
public import LatchkeyKeychainModel

/// The lock of this process's keychain. On Apple's systems the screen lock has this role; on Linux the program calls it.
///
/// A keychain without a passcode is always unlocked. One with a passcode starts in the state before first unlock, unless the
/// service has the systemd credential `latchkey.passcode` or `LATCHKEY_PASSCODE_FILE` names a file with the passcode. Each
/// process has its own lock. In a test, these functions act on the keychain that the test has substituted.
public enum KeychainLock {
  /// Unlocks the keychain.
  ///
  /// - Throws: `StoreError.wrongPasscode`; `.passcodeDelayed` after too many wrong passcodes; `.passcodeNotSet` if no passcode
  ///   is set; errors of opening the keychain.
  public static func unlock(passcode: String) throws(StoreError) {
    var bytes = Array(passcode.utf8)
    defer { bytes.wipe() }
    if let replacement = try replacement() {
      try replacement.unlock(passcode: bytes)
    } else {
      try ProcessKeychain.shared.unlock(passcode: bytes)
    }
  }

  /// Locks the keychain: items of the WhenUnlocked accessibilities become unavailable, and a passcode in the environment no
  /// longer unlocks it. A keychain without a passcode stays unlocked.
  public static func lock() {
    if let session = KeychainSession.replacement {
      (session.store as? KeychainDatabase)?.lock()
    } else {
      ProcessKeychain.shared.lock()
    }
  }

  /// The current state of the lock.
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
