package import Crypto
package import LatchkeyKeychainModel

/// What presence asks of the keychain whose passcode it is.
package protocol PasscodeKeeper: AnyObject, Sendable {
  /// Whether a passcode is set.
  var isPasscodeSet: Bool { get }
  /// The public half of the presence key; nil without a passcode, and in a keychain whose passcode was set before there
  /// were presence keys, until it is given again.
  var publicPresenceKey: Curve25519.KeyAgreement.PublicKey? { get }

  /// Who may vouch for the user, as far as this process knows without looking; none: nobody was named yet.
  var knownAuthenticators: [String] { get }

  /// Who may vouch for the user now.
  ///
  /// - Throws: `.damaged`, `.inputOutput`.
  func currentAuthenticators() throws(StoreError) -> [String]

  /// Keeps who may vouch, if nobody was named yet, and gives who may from here on.
  ///
  /// - Throws: `.readOnly` and what else keeps a keychain from being written.
  func fixAuthenticators(_ names: [String]) throws(StoreError) -> [String]

  /// Whether a passcode would be tried now.
  ///
  /// - Throws: `.passcodeNotSet`; `.passcodeDelayed`.
  func judgePasscodeAttempt() throws(StoreError)

  /// Tries a passcode, which counts as an attempt, and opens the private half of the presence key with it.
  ///
  /// - Throws: `.wrongPasscode`, `.passcodeDelayed`, `.passcodeNotSet`.
  func openPresenceKey(passcode: [UInt8]) throws(StoreError) -> Curve25519.KeyAgreement.PrivateKey
}
