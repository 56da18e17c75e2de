package import Crypto
package import LatchkeyKeychainModel

/// What consent has yielded for one access control: what opens the inner wrapping of an item's key.
package struct Authorization: Sendable {
  /// The private half of the keychain's presence key: there once the passcode was given.
  package var presenceKey: Curve25519.KeyAgreement.PrivateKey?
  /// The application's password, in UTF-8.
  package var applicationPassword: [UInt8]?

  package init(presenceKey: Curve25519.KeyAgreement.PrivateKey? = nil, applicationPassword: [UInt8]? = nil) {
    self.presenceKey = presenceKey
    self.applicationPassword = applicationPassword
  }

  /// Nothing was needed.
  package static let none = Authorization()
}

/// A control as it was stored: with what was enrolled at that time.
package struct StoredControl: Hashable, Sendable {
  /// What guards the item or key.
  package var control: AccessControl
  /// What was enrolled when it was made; there for `biometryCurrentSet` alone.
  package var enrollment: [UInt8]?
  /// Whether opening needs the passcode's key, not only a verdict.
  package var isBoundToPasscode: Bool

  package init(control: AccessControl, enrollment: [UInt8]?, isBoundToPasscode: Bool) {
    self.control = control
    self.enrollment = enrollment
    self.isBoundToPasscode = isBoundToPasscode
  }
}

/// What sealing under a control needs.
package struct PreparedControl: Sendable {
  /// As it is stored.
  package var stored: StoredControl
  /// The public half of the keychain's presence key, if the passcode binds it.
  package var presencePublicKey: Curve25519.KeyAgreement.PublicKey?
  /// The application's password, if it binds it.
  package var applicationPassword: [UInt8]?

  package init(
    stored: StoredControl, presencePublicKey: Curve25519.KeyAgreement.PublicKey? = nil,
    applicationPassword: [UInt8]? = nil
  ) {
    self.stored = stored
    self.presencePublicKey = presencePublicKey
    self.applicationPassword = applicationPassword
  }
}
