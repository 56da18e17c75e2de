import CoreBluetooth
public import LatchkeyProvisioningProtocol

/// Why a legacy exchange failed. The connection is canceled and the keys are erased; the next attempt starts with new ones.
/// No case carries a byte of a payload or of a key.
public enum LegacyProvisioningError: Error, Equatable, Sendable {
  /// The step that was in progress.
  public enum Step: String, Sendable, CaseIterable {
    /// Waiting for the radio to be switched on.
    case startingRadio
    /// Looking for the device's advertisements.
    case searching
    /// Connecting.
    case connecting
    /// Finding the services and characteristics.
    case discovering
    /// Subscribing to the device's answers.
    case subscribing
    /// Agreeing on a key.
    case agreeingOnKey
    /// Sending the payload.
    case sendingPayload
    /// Waiting for the device's answers.
    case awaitingAnswer
  }

  // MARK: Radio and link

  /// There is no radio to use: the name of the manager's state, and why the controller was lost, such as "cannot connect to
  /// /tmp/radio: No such file or directory"; nil where no cause is known.
  case radioUnavailable(String, cause: String?)
  /// The device was not found in time.
  case notFound
  /// The connection could not be made: the system's message.
  case connectionFailed(String)
  /// The link was lost.
  case disconnected(during: Step)
  /// A step took too long, or the device fell silent within a frame.
  case timedOut(during: Step)
  /// The caller canceled the attempt.
  case cancelled

  // MARK: The device has nothing in common with us

  /// The device does not offer the service: F200, or with the caller's consent F100.
  case serviceMissing(LegacyService)
  /// A characteristic is missing.
  case characteristicMissing(LegacyCharacteristic)
  /// A characteristic lacks the properties that it needs: one of those named.
  case propertyMissing(LegacyCharacteristic, anyOf: [String])

  // MARK: The device broke a rule, or says that we did

  /// The device refused a frame.
  case refused(LegacyRefusal)
  /// The device answered an access to a characteristic with this error of the Attribute Protocol.
  case attributeError(UInt8, LegacyCharacteristic)
  /// An access to a characteristic failed: the system's message.
  case accessFailed(LegacyCharacteristic, String)
  /// The device sent what the protocol does not allow.
  case deviceMisbehaved(LegacySessionError)
  /// The device sent more answers than are accepted.
  case tooManyAnswers

  // MARK: Our caller's misuse

  /// The random source yields no number that could be a key: it is broken.
  case noRandomness
  /// The payload has this many bytes, and only `maximum` can be sent.
  case payloadTooLong(Int, maximum: Int)
}

extension CBManagerState {
  /// The state's name, for errors.
  var name: String {
    switch self {
    case .unknown: "unknown"
    case .resetting: "resetting"
    case .unsupported: "unsupported"
    case .unauthorized: "unauthorized"
    case .poweredOff: "powered off"
    case .poweredOn: "powered on"
    @unknown default: "unknown"
    }
  }
}
