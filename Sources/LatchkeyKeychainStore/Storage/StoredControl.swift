import Crypto
import LatchkeyKeychainModel

/// What consent has yielded for one access control: what opens the inner wrapping of an item's key.
struct Authorization: Sendable {
  /// The private half of the keychain's presence key: there once the passcode was given.
  var presenceKey: Curve25519.KeyAgreement.PrivateKey?
  /// The application's password, in UTF-8.
  var applicationPassword: [UInt8]?

  /// Nothing was needed.
  static let none = Authorization()
}

/// A control as it was stored: with what was enrolled at that time.
struct StoredControl: Hashable, Sendable {
  /// What guards the item or key.
  var control: AccessControl
  /// What was enrolled when it was made; there for `biometryCurrentSet` alone.
  var enrollment: [UInt8]?
  /// Whether opening needs the passcode's key, not only a verdict.
  var isBoundToPasscode: Bool
}

/// What sealing under a control needs.
struct PreparedControl: Sendable {
  /// As it is stored.
  var stored: StoredControl
  /// The public half of the keychain's presence key, if the passcode binds it.
  var presencePublicKey: Curve25519.KeyAgreement.PublicKey?
  /// The application's password, if it binds it.
  var applicationPassword: [UInt8]?
}
