public import Foundation

/// An error of Core Bluetooth itself.
///
/// Errors are delivered as this structure, so that `error as? CBError` and `catch CBError.connectionTimeout` work.
public struct CBError: _BridgedStoredNSError {
  /// The error in its stored form.
  public let _nsError: NSError

  /// An error of this stored form; its domain must be `CBErrorDomain`.
  public init(_nsError error: NSError) {
    precondition(error.domain == CBErrorDomain, "a CBError's domain is CBErrorDomain")
    _nsError = error
  }

  /// The domain of all such errors.
  public static var _nsErrorDomain: String { CBErrorDomain }

  /// The domain of all such errors.
  public static var errorDomain: String { CBErrorDomain }

  /// The kind of error.
  public enum Code: Int, _ErrorCodeProtocol, Sendable {
    /// The type whose code this is.
    public typealias _ErrorType = CBError

    /// Unknown.
    case unknown = 0
    /// A parameter is not valid.
    case invalidParameters = 1
    /// The handle is not, or no longer, valid.
    case invalidHandle = 2
    /// The device is not connected.
    case notConnected = 3
    /// There is no space for it.
    case outOfSpace = 4
    /// The operation was cancelled.
    case operationCancelled = 5
    /// The connection timed out.
    case connectionTimeout = 6
    /// The peer ended the connection.
    case peripheralDisconnected = 7
    /// The UUID is not allowed here.
    case uuidNotAllowed = 8
    /// Advertising is under way already.
    case alreadyAdvertising = 9
    /// The connection failed.
    case connectionFailed = 10
    /// The limit of connections is reached.
    case connectionLimitReached = 11
    /// The device is not known.
    case unknownDevice = 12
    /// The operation is not supported.
    case operationNotSupported = 13
    /// The peer no longer has the pairing's keys.
    case peerRemovedPairingInformation = 14
    /// Encryption took too long.
    case encryptionTimedOut = 15
    /// There are too many paired devices.
    case tooManyLEPairedDevices = 16
    /// Too many values were notified in the background, as the central found.
    case leGattExceededBackgroundNotificationLimit = 17
    /// Too many values were notified in the background, almost.
    case leGattNearBackgroundNotificationLimit = 18
    /// Channel sounding could not be set up.
    case channelSoundingConfigurationFailed = 19
    /// A measurement of channel sounding failed.
    case channelSoundingProcedureFailed = 20

    /// The device is not known; Apple's original spelling.
    public static var unkownDevice: Code { .unknownDevice }
  }
}

extension CBError {
  /// Unknown.
  public static var unknown: Code { .unknown }
  /// A parameter is not valid.
  public static var invalidParameters: Code { .invalidParameters }
  /// The handle is not, or no longer, valid.
  public static var invalidHandle: Code { .invalidHandle }
  /// The device is not connected.
  public static var notConnected: Code { .notConnected }
  /// There is no space for it.
  public static var outOfSpace: Code { .outOfSpace }
  /// The operation was cancelled.
  public static var operationCancelled: Code { .operationCancelled }
  /// The connection timed out.
  public static var connectionTimeout: Code { .connectionTimeout }
  /// The peer ended the connection.
  public static var peripheralDisconnected: Code { .peripheralDisconnected }
  /// The UUID is not allowed here.
  public static var uuidNotAllowed: Code { .uuidNotAllowed }
  /// Advertising is under way already.
  public static var alreadyAdvertising: Code { .alreadyAdvertising }
  /// The connection failed.
  public static var connectionFailed: Code { .connectionFailed }
  /// The limit of connections is reached.
  public static var connectionLimitReached: Code { .connectionLimitReached }
  /// The device is not known.
  public static var unknownDevice: Code { .unknownDevice }
  /// The device is not known; Apple's original spelling.
  public static var unkownDevice: Code { .unknownDevice }
  /// The operation is not supported.
  public static var operationNotSupported: Code { .operationNotSupported }
  /// The peer no longer has the pairing's keys.
  public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
  /// Encryption took too long.
  public static var encryptionTimedOut: Code { .encryptionTimedOut }
  /// There are too many paired devices.
  public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
  /// Too many values were notified in the background, as the central found.
  public static var leGattExceededBackgroundNotificationLimit: Code { .leGattExceededBackgroundNotificationLimit }
  /// Too many values were notified in the background, almost.
  public static var leGattNearBackgroundNotificationLimit: Code { .leGattNearBackgroundNotificationLimit }
  /// Channel sounding could not be set up.
  public static var channelSoundingConfigurationFailed: Code { .channelSoundingConfigurationFailed }
  /// A measurement of channel sounding failed.
  public static var channelSoundingProcedureFailed: Code { .channelSoundingProcedureFailed }
}

extension CBError {
  /// An error with the text that Apple's systems show for it.
  static func delivered(_ code: Code) -> CBError {
    CBError(code, userInfo: [NSLocalizedDescriptionKey: code.text])
  }
}

extension CBError.Code {
  fileprivate var text: String {
    switch self {
    case .unknown: "Unknown error."
    case .invalidParameters: "One or more parameters were invalid."
    case .invalidHandle: "The specified handle is invalid."
    case .notConnected: "The specified device is not connected."
    case .outOfSpace: "There is no space for the operation."
    case .operationCancelled: "The operation was cancelled."
    case .connectionTimeout: "The connection has timed out unexpectedly."
    case .peripheralDisconnected: "The specified device has disconnected from us."
    case .uuidNotAllowed: "The specified UUID is not allowed for this operation."
    case .alreadyAdvertising: "Advertising has already started."
    case .connectionFailed: "The connection failed unexpectedly."
    case .connectionLimitReached: "The maximum number of connections has been reached."
    case .unknownDevice: "The specified device is unknown."
    case .operationNotSupported: "The operation is not supported."
    case .peerRemovedPairingInformation: "Peer removed pairing information."
    case .encryptionTimedOut: "Failed to encrypt the connection, the connection has timed out unexpectedly."
    case .tooManyLEPairedDevices: "There are too many paired devices."
    case .leGattExceededBackgroundNotificationLimit: "The background notification limit has been exceeded."
    case .leGattNearBackgroundNotificationLimit: "The background notification limit has almost been reached."
    case .channelSoundingConfigurationFailed: "Channel sounding could not be configured."
    case .channelSoundingProcedureFailed: "The channel sounding procedure failed."
    }
  }
}

/// The domain of errors of Core Bluetooth itself.
public let CBErrorDomain = "CBErrorDomain"

/// The domain of errors that a peer answered with, by the Attribute Protocol.
public let CBATTErrorDomain = "CBATTErrorDomain"
