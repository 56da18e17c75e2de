/// What a device of the secure protocol is.
package struct SecureDeviceConfiguration: Sendable {
  package var code: SecureCode
  package var suites: [SecureSuite] = SecureSuite.allCases
  /// What it can do.
  package var capabilities: ProvisioningCapabilities
  /// Whether it takes an enrollment, by `DeviceWork.custom` with the endpoint `enroll`.
  package var takesEnrollment = false
  package var information: DeviceInformation
  /// The host name at the start.
  package var hostname: String
  /// Whether apps may come back without the code.
  package var resumes = true
  package var window: UInt8 = 8
  package var maximumMessage = 2048

  package init(
    code: SecureCode, capabilities: ProvisioningCapabilities, information: DeviceInformation, hostname: String
  ) {
    self.code = code
    self.capabilities = capabilities
    self.information = information
    self.hostname = hostname
  }

  func value(deviceIdentifier: [UInt8]) -> SecureInformation {
    var flags: SecureInformation.Flags = code.kind == .pin ? .pin : .qr
    if resumes { flags.insert(.resumption) }
    var capabilities = UInt8(truncatingIfNeeded: capabilities.rawValue & 0x3F)
    if takesEnrollment { capabilities |= SecureInformation.enrollCapability }
    return SecureInformation(
      flags: flags, capabilities: capabilities, suites: suites, window: window, maximumMessage: maximumMessage,
      deviceIdentifier: deviceIdentifier)
  }
}

/// Why a device of the secure protocol cannot be made.
package enum SecureDeviceError: Error, Hashable, Sendable {
  /// Its code is one that guessers try first.
  case weakCode
  /// What was stored is not what a machine stores.
  case storedState
  /// The configuration has no suite, or a longest message out of bounds.
  case configuration
}
