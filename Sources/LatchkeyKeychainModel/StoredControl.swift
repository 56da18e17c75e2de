/// An access control as it is stored: with what was true at the creation of what it guards.
package struct StoredControl: Hashable, Sendable {
  /// The access control of the item or key.
  package var control: AccessControl
  /// The enrollment digest at creation; set only for `biometryCurrentSet`, and nil if biometry was absent and another factor
  /// suffices.
  package var enrollment: [UInt8]?
  /// Whether opening requires the passcode's key, not only a verdict.
  package var isBoundToPasscode: Bool
  /// Whether the data of the item is the representation of an enclave key. The control that is stored in that representation
  /// guards the key and has the enrollment; the item's own data needs no consent.
  package var isEnclaveKey: Bool

  /// Creates a stored control from its parts.
  package init(
    control: AccessControl, enrollment: [UInt8]? = nil, isBoundToPasscode: Bool = false, isEnclaveKey: Bool = false
  ) {
    self.control = control
    self.enrollment = enrollment
    self.isBoundToPasscode = isBoundToPasscode
    self.isEnclaveKey = isEnclaveKey
  }

  /// The lock states in which the keys of what it guards are available.
  package var protection: Accessibility { control.protection }

  /// The constraints.
  package var flags: AccessControl.Flags { control.flags }

  /// Whether the use requires consent of the user, a companion or the application.
  package var isConstrained: Bool { control.isConstrained }

  /// Whether the item's data requires consent. An enclave key is guarded by the enclave instead.
  package var guardsData: Bool { isConstrained && !isEnclaveKey }
}
