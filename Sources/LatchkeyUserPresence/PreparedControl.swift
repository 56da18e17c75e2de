package import Crypto
package import LatchkeyKeychainModel

/// The inputs for sealing under an access control.
package struct PreparedControl: Sendable {
  /// The control as stored.
  package var stored: StoredControl
  /// The public half of the keychain's presence key, if the control is bound to the passcode.
  package var presencePublicKey: Curve25519.KeyAgreement.PublicKey?
  /// The application password, if the control requires one.
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

/// The result of consent for one access control: the inputs that open the inner layer of an item's key.
package struct Authorization: Sendable {
  /// The private half of the keychain's presence key; set if the passcode was given.
  package var presenceKey: Curve25519.KeyAgreement.PrivateKey?
  /// The application password, in UTF-8.
  package var applicationPassword: [UInt8]?

  package init(presenceKey: Curve25519.KeyAgreement.PrivateKey? = nil, applicationPassword: [UInt8]? = nil) {
    self.presenceKey = presenceKey
    self.applicationPassword = applicationPassword
  }

  /// The authorization without factors.
  package static let none = Authorization()
}
