public import LatchkeyKeychainModel

/// Seals a keychain's root key in hardware.
public protocol RootSealer: AnyObject, Sendable {
  /// Seals up to 64 bytes; with `authorization` (32 bytes) they open only with the same, and the hardware counts wrong ones.
  func seal(_ secret: [UInt8], authorization: [UInt8]?) throws(StoreError) -> [UInt8]

  /// Opens what ``seal(_:authorization:)`` made.
  ///
  /// - Throws: `.rootKeyUnavailable` for what another TPM has sealed or in another state; `.wrongPasscode` for a wrong
  ///   authorization; `.passcodeDelayed` while the hardware is locked out; `.hardware`.
  func unseal(_ sealed: [UInt8], authorization: [UInt8]?) throws(StoreError) -> [UInt8]
}

/// A number in hardware that only grows, so that an old copy of a file can be told.
public protocol HardwareCounter: AnyObject, Sendable {
  /// The number now.
  func value() throws(StoreError) -> UInt64
  /// Adds one and returns the new number.
  func increment() throws(StoreError) -> UInt64
}
