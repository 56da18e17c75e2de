import Crypto
import LatchkeyKeychainModel
import LatchkeySecretData

/// What came of trying one passcode against a keychain's passcode record.
package struct PasscodeAttempt: Sendable {
  /// Whether it was the right one.
  package var isRight: Bool { opened != nil }
  /// What tells a wrong passcode from another wrong one (``AttemptState``): 16 bytes that come from the costly
  /// derivation, so that they give nobody a cheaper way to guess.
  package let mark: [UInt8]
  /// What the right passcode has opened.
  let opened: Opened?
  /// The record it was tried against.
  let record: KeyRecord

  /// What comes of a right passcode.
  struct Opened: Sendable {
    let userRoot: SymmetricKey
    /// The keys that it was opened with, to open and wrap the presence key.
    let key: PasscodeKey
    /// What the derivation took of a processor's time.
    let time: Duration
  }
}

/// The keys of a passcode: passcode and device root together, so that neither alone opens anything.
struct PasscodeKey: Sendable {
  /// Wraps the user root.
  let wrapping: SymmetricKey
  /// Wraps the presence key.
  let presenceWrapping: SymmetricKey
  /// See ``PasscodeAttempt/mark``.
  let mark: [UInt8]

  /// K = HKDF(scrypt(passcode, salt) ‖ device root, "ur-slot"), and the same of "presence-slot"; takes the time and the
  /// memory of scrypt.
  init(
    passcode: [UInt8], parameters: ScryptParameters, root: RootKey, storeUUID: [UInt8]
  ) throws(StoreError) {
    let stretched = try parameters.stretch(passcode, "the passcode")
    var material = stretched.exposedBytes(and: root.key)
    let both = SymmetricKey(consuming: &material)
    wrapping = both.derive("ur-slot", storeUUID: storeUUID)
    presenceWrapping = both.derive("presence-slot", storeUUID: storeUUID)
    mark = Array(both.derive("wrong passcode", storeUUID: storeUUID).exposedBytes.prefix(16))
  }
}
