package import Crypto
package import LatchkeyKeychainModel

/// User presence's interface to the keychain that has the passcode.
package protocol PasscodeKeeper: AnyObject, Sendable {
  /// Whether a passcode is set.
  var isPasscodeSet: Bool { get }
  /// The public half of the presence key; nil without a passcode, and in a keychain whose passcode predates presence keys,
  /// until it is entered again.
  var publicPresenceKey: Curve25519.KeyAgreement.PublicKey? { get }

  /// The names of the accepted authenticators as last read by this process; empty: none were stored yet.
  var knownAuthenticators: [String] { get }

  /// Reads the names of the accepted authenticators.
  ///
  /// - Throws: `.damaged`, `.inputOutput`.
  func currentAuthenticators() throws(StoreError) -> [String]

  /// Stores the accepted authenticators if none were stored yet, and returns the stored ones.
  ///
  /// - Throws: `.readOnly` and other errors of writing a keychain.
  func fixAuthenticators(_ names: [String]) throws(StoreError) -> [String]

  /// Verifies that a passcode would be tried now.
  ///
  /// - Throws: `.passcodeNotSet`; `.passcodeDelayed`.
  func validatePasscodeAttempt() throws(StoreError)

  /// Tries a passcode, which counts as an attempt, and opens the private half of the presence key with it.
  ///
  /// - Throws: `.wrongPasscode`, `.passcodeDelayed`, `.passcodeNotSet`.
  func openPresenceKey(passcode: [UInt8]) throws(StoreError) -> Curve25519.KeyAgreement.PrivateKey
}
