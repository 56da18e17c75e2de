internal import LatchkeyKeychainModel

/// What callers are told: every fault and every error of the keychain, its presence and its enclave has its status here,
/// and nowhere else. A key's own errors have theirs in `KeyFault`.
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
  /// The status of this error (Security-61901, SecItem.m: what LocalAuthentication says, as the keychain tells it).
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

/// Runs a call: no fault is `errSecSuccess`.
func status(of call: () throws(RequestFault) -> Void) -> OSStatus {
  do {
    try call()
    return errSecSuccess
  } catch {
    return error.status
  }
}
