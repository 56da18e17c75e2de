import Crypto
import LatchkeyKeychainModel
import LatchkeySecretData

/// The result of trying one passcode against a keychain's passcode record.
package struct PasscodeAttempt: Sendable {
  /// Whether the passcode was right.
  package var isRight: Bool { opened != nil }
  /// Distinguishes wrong passcodes from one another (``AttemptState``): 16 bytes from the costly derivation, so that they offer
  /// no cheaper way to guess.
  package let mark: [UInt8]
  /// The keys that the right passcode has opened.
  let opened: Opened?
  /// The record against which the passcode was tried.
  let record: KeyRecord

  /// The keys and the timing of a right passcode.
  struct Opened: Sendable {
    let userRoot: SymmetricKey
    /// The passcode's keys, which open and wrap the presence key.
    let key: PasscodeKey
    /// The processor time of the derivation.
    let time: Duration
  }
}

/// The keys of a passcode. They depend on passcode and device root together, so that neither alone opens anything.
struct PasscodeKey: Sendable {
  /// Wraps the user root.
  let wrapping: SymmetricKey
  /// Wraps the presence key.
  let presenceWrapping: SymmetricKey
  /// See ``PasscodeAttempt/mark``.
  let mark: [UInt8]

  /// K = HKDF(scrypt(passcode, salt) ‖ device root, "ur-slot"), and likewise with "presence-slot"; needs the time and the
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
