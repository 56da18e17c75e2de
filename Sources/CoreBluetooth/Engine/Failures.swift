import LatchkeyBluetoothHost

/// The errors that an app gets, of what the engine says went wrong.
enum Failures {
  static func error(_ failure: GATTFailure) -> any Error {
    switch failure {
    case .refused(let code, _): CBATTError.delivered(code.callers)
    case .peerMisbehaved: CBError.delivered(.unknown)
    case .timedOut: CBError.delivered(.connectionTimeout)
    case .disconnected: CBError.delivered(.peripheralDisconnected)
    case .invalidArgument: CBError.delivered(.invalidParameters)
    case .queueFull: CBError.delivered(.outOfSpace)
    }
  }

  /// Why a connection was lost that nobody here wanted to end.
  static func disconnection(_ reason: HCIStatus) -> CBError {
    switch reason {
    case .connectionTimeout, .linkLayerResponseTimeout: .delivered(.connectionTimeout)
    // Ended by this host, since the peer did not answer in time, or took nothing.
    case .localHostTerminated: .delivered(.connectionTimeout)
    case .remoteUserTerminated, .remoteLowResources, .remotePowerOff: .delivered(.peripheralDisconnected)
    case .connectionFailedToBeEstablished: .delivered(.connectionFailed)
    default: .delivered(.unknown)
    }
  }

  /// Why a connection was not made.
  static func connection(_ status: HCIStatus) -> CBError {
    switch status {
    case .connectionTimeout: .delivered(.connectionTimeout)
    case .connectionLimitExceeded, .remoteLowResources: .delivered(.connectionLimitReached)
    case .unsupportedFeatureOrParameter: .delivered(.operationNotSupported)
    default: .delivered(.connectionFailed)
    }
  }

  /// Why advertising did not begin; nil if it did.
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
  /// The code under the name of Apple's API, which has all 256.
  var callers: CBATTError.Code { CBATTError.Code(rawValue: Int(rawValue)) ?? .unlikelyError }
}

extension CBATTError.Code {
  /// The code as the air carries it.
  var attErrorCode: ATTErrorCode { ATTErrorCode(rawValue: UInt8(truncatingIfNeeded: rawValue)) }
}
