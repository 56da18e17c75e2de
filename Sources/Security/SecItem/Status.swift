internal import LatchkeyKeychainModel

/// The only mapping of faults, and of errors of the keychain, its presence service and its enclave, to statuses. `KeyFault`
/// maps a key's own errors.
extension RequestFault {
  /// The status of this fault.
  var status: OSStatus {
    switch self {
    case .keyIsNoString, .unknownKey, .internalKey, .invalidValue, .classMissing, .conflict, .matchUnsupported,
      .limitUnsupported, .returnUnsupported:
      errSecParam
    case .noSuchClass: errSecNoSuchClass
    case .noSuchAttribute: errSecNoSuchAttr
    case .unimplemented: errSecUnimplemented
    case .unreadableCertificate, .unreadableKey: errSecDecode
    case .store(let error): error.status
    }
  }
}

extension StoreError {
  /// The status of this error.
  package var status: OSStatus {
    switch self {
    case .itemNotFound: errSecItemNotFound
    case .duplicateItem: errSecDuplicateItem
    case .locked: errSecInteractionNotAllowed
    case .missingEntitlement: errSecMissingEntitlement
    case .invalidParameter: errSecParam
    case .noSuchAttribute: errSecNoSuchAttr
    case .unimplemented: errSecUnimplemented
    case .passcodeNotSet, .wrongPasscode, .passcodeDelayed, .passcodeRefused: errSecAuthFailed
    case .rootKeyUnavailable: errSecDataNotAvailable
    case .damaged, .rolledBack: errSecDecode
    case .notAKeychain: errSecInvalidKeychain
    case .newerFormat: errSecWrongSecVersion
    case .diskFull: errSecDiskFull
    case .readOnly: errSecReadOnly
    case .unsafeLocation, .busy, .configuration: errSecNotAvailable
    case .inputOutput, .hardware: errSecIO
    case .presence(let error): error.status
    case .unavailable: errSecNotAvailable
    case .invalidated: errSecAuthFailed
    case .foreignKey: errSecInvalidKeyRef
    case .keyUsage: errSecKeyUsageIncorrect
    }
  }
}

extension PresenceError {
  /// The status of this error (Security-61901, SecItem.m, which maps LocalAuthentication's errors to statuses).
  package var status: OSStatus {
    switch self {
    case .userCancel, .appCancel, .systemCancel: errSecUserCanceled
    case .notInteractive: errSecInteractionNotAllowed
    case .invalidParameter: errSecParam
    case .biometryNotAvailable, .companionNotAvailable: errSecNotAvailable
    case .authenticationFailed, .userFallback, .passcodeNotSet, .biometryNotEnrolled, .biometryLockout, .invalidContext,
      .credentialMissing:
      errSecAuthFailed
    }
  }
}

/// Runs a call and returns its status, `errSecSuccess` unless it throws.
func status(of call: () throws(RequestFault) -> Void) -> OSStatus {
  do {
    try call()
    return errSecSuccess
  } catch {
    return error.status
  }
}
