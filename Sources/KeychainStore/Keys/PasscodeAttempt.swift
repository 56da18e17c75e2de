import Crypto
import KeychainModel

/// What came of trying one passcode against a keychain's passcode record.
package struct PasscodeAttempt: Sendable {
  /// Whether it was the right one.
  package var isRight: Bool { userRoot != nil }
  /// What tells a wrong passcode from another wrong one (``AttemptState``): 16 bytes that come from the costly
  /// derivation, so that they give nobody a cheaper way to guess.
  package let mark: [UInt8]
  /// The user root, of a right passcode.
  let userRoot: SymmetricKey?
  /// The record it was tried against.
  let record: KeyRecord
}

/// The key of the passcode slot: passcode and device root together, so that neither alone opens anything.
struct PasscodeKey: Sendable {
  /// Wraps the user root.
  let wrapping: SymmetricKey
  /// See ``PasscodeAttempt/mark``.
  let mark: [UInt8]

  /// K = HKDF(scrypt(passcode, salt) ‖ device root, "ur-slot"); takes the time and the memory of scrypt.
  init(
    passcode: [UInt8], parameters: ScryptParameters, root: RootKey, storeUUID: [UInt8]
  ) throws(StoreError) {
    // scrypt begins with HMAC, which takes a key and the same key with zeros after it for one: a last byte ends it.
    var ended = passcode + [0x01]
    defer { ended.wipe() }
    guard let stretched = parameters.derive(ended) else {
      throw .inputOutput(
        "not enough memory to check the passcode: \(parameters.rounds >> 10) MiB are needed, free some and try again")
    }
    var material = stretched.exposedBytes(and: root.key)
    let both = SymmetricKey(consuming: &material)
    wrapping = both.derive("ur-slot", storeUUID: storeUUID)
    mark = Array(both.derive("wrong passcode", storeUUID: storeUUID).exposedBytes.prefix(16))
  }
}
