public import LatchkeyKeychainModel

/// Seals a keychain's root key in hardware.
public protocol RootSealer: AnyObject, Sendable {
  /// Seals up to 64 bytes; with `authorization` (32 bytes) they open only with the same, and the hardware counts wrong ones.
  func seal(_ secret: [UInt8], authorization: [UInt8]?) throws(StoreError) -> [UInt8]

  /// Opens the output of ``seal(_:authorization:)``.
  ///
  /// - Throws: `.rootKeyUnavailable` for a secret sealed by another TPM or in another state; `.wrongPasscode` for a wrong
  ///   authorization; `.passcodeDelayed` while the hardware is locked out; `.hardware`.
  func unseal(_ sealed: [UInt8], authorization: [UInt8]?) throws(StoreError) -> [UInt8]
}

/// A monotonic counter in hardware, which detects an old copy of a file.
public protocol HardwareCounter: AnyObject, Sendable {
  /// Returns the current value.
  func value() throws(StoreError) -> UInt64
  /// Increments the counter and returns the new value.
  func increment() throws(StoreError) -> UInt64
}
