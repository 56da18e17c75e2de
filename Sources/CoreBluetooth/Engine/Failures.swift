import LatchkeyBluetoothHost

/// The errors that an app gets for the engine's failures.
enum Failures {
  static func error(_ failure: GATTFailure) -> any Error {
    switch failure {
    case .refused(let code, _): CBATTError.delivered(code.callers)
    case .peerMisbehaved: CBError.delivered(.unknown)
    case .timedOut: CBError.delivered(.connectionTimeout)
    case .disconnected: CBError.delivered(.peripheralDisconnected)
    case .keyMissing: CBError.delivered(.peerRemovedPairingInformation)
    case .encryptionFailed: CBError.delivered(.encryptionTimedOut)
    case .invalidArgument: CBError.delivered(.invalidParameters)
    case .queueFull: CBError.delivered(.outOfSpace)
    }
  }

  /// The error of a connection that ended without a request of this app.
  static func disconnection(_ reason: HCIStatus) -> CBError {
    switch reason {
    case .connectionTimeout, .linkLayerResponseTimeout: .delivered(.connectionTimeout)
    // Ended by this host, since the peer did not answer in time, or read nothing.
    case .localHostTerminated: .delivered(.connectionTimeout)
    case .remoteUserTerminated, .remoteLowResources, .remotePowerOff: .delivered(.peripheralDisconnected)
    case .connectionFailedToBeEstablished: .delivered(.connectionFailed)
    default: .delivered(.unknown)
    }
  }

  /// The error of a connection that was not made.
  static func connection(_ status: HCIStatus) -> CBError {
    switch status {
    case .connectionTimeout: .delivered(.connectionTimeout)
    case .connectionLimitExceeded, .remoteLowResources: .delivered(.connectionLimitReached)
    case .unsupportedFeatureOrParameter: .delivered(.operationNotSupported)
    default: .delivered(.connectionFailed)
    }
  }

  /// The error of a channel that was not opened.
  static func channel(_ failure: ChannelFailure) -> any Error {
    switch failure {
    case .refused(.insufficientAuthentication): CBATTError.delivered(.insufficientAuthentication)
    case .refused(.insufficientAuthorization): CBATTError.delivered(.insufficientAuthorization)
    case .refused(.keySizeTooShort): CBATTError.delivered(.insufficientEncryptionKeySize)
    case .refused(.insufficientEncryption): CBATTError.delivered(.insufficientEncryption)
    case .refused(.spsmNotSupported), .notSupported: CBError.delivered(.operationNotSupported)
    case .refused(.noResources), .noResources: CBError.delivered(.outOfSpace)
    case .refused, .peerMisbehaved: CBError.delivered(.unknown)
    case .notSecured(let failure): error(failure)
    case .timedOut: CBError.delivered(.connectionTimeout)
    case .disconnected: CBError.delivered(.peripheralDisconnected)
    }
  }

  /// The error of advertising that did not start; nil if it did.
  static func advertising(_ status: HCIStatus) -> CBError? {
    switch status {
    case .success: nil
    case .unsupportedFeatureOrParameter: .delivered(.operationNotSupported)
    case .invalidParameters: .delivered(.invalidParameters)
    default: .delivered(.unknown)
    }
  }
}

extension ATTErrorCode {
  /// The code as Apple's type, which has all 256.
  var callers: CBATTError.Code { CBATTError.Code(rawValue: Int(rawValue)) ?? .unlikelyError }
}

extension CBATTError.Code {
  /// The code as it is sent over the air.
  var attErrorCode: ATTErrorCode { ATTErrorCode(rawValue: UInt8(truncatingIfNeeded: rawValue)) }
}
