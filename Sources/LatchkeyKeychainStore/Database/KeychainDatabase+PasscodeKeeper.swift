package import Crypto
package import LatchkeyKeychainModel
import LatchkeyUserPresence

extension KeychainDatabase: PasscodeKeeper {
  package var isPasscodeSet: Bool { parts.ring.hasPasscode }

  package var publicPresenceKey: Curve25519.KeyAgreement.PublicKey? { parts.ring.presencePublicKey }

  package func validatePasscodeAttempt() throws(StoreError) {
    guard isPasscodeSet else { throw .passcodeNotSet }
    try soundHeader().state.attemptState.validateAttempt(now: parts.now())
  }

  package func openPresenceKey(passcode: [UInt8]) throws(StoreError) -> Curve25519.KeyAgreement.PrivateKey {
    try presenceKey(passcode: passcode)
  }
}
