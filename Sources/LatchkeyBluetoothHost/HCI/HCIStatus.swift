/// A controller error code (Core 6.0 Vol 1 Part F 1.3).
public struct HCIStatus: RawRepresentable, Hashable, Sendable, Error {
  /// The code as HCI carries it.
  public let rawValue: UInt8
  /// Any code, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Success.
  public static let success = HCIStatus(rawValue: 0x00)
  /// The controller does not support the command.
  public static let unknownCommand = HCIStatus(rawValue: 0x01)
  /// There is no connection of that handle.
  public static let unknownConnectionIdentifier = HCIStatus(rawValue: 0x02)
  /// Something in the controller failed.
  public static let hardwareFailure = HCIStatus(rawValue: 0x03)
  /// The peer refused the key, or has none.
  public static let authenticationFailure = HCIStatus(rawValue: 0x05)
  /// The peer lost its key.
  public static let pinOrKeyMissing = HCIStatus(rawValue: 0x06)
  /// The controller is out of memory.
  public static let memoryCapacityExceeded = HCIStatus(rawValue: 0x07)
  /// The link was lost: nothing came for the supervision timeout.
  public static let connectionTimeout = HCIStatus(rawValue: 0x08)
  /// The controller holds no more connections.
  public static let connectionLimitExceeded = HCIStatus(rawValue: 0x09)
  /// There is a connection to that device already.
  public static let connectionAlreadyExists = HCIStatus(rawValue: 0x0B)
  /// The command is not allowed in this state.
  public static let commandDisallowed = HCIStatus(rawValue: 0x0C)
  /// The controller does not support a feature or a value.
  public static let unsupportedFeatureOrParameter = HCIStatus(rawValue: 0x11)
  /// A parameter is out of its range.
  public static let invalidParameters = HCIStatus(rawValue: 0x12)
  /// The user of the peer ended the link.
  public static let remoteUserTerminated = HCIStatus(rawValue: 0x13)
  /// The peer is low on resources.
  public static let remoteLowResources = HCIStatus(rawValue: 0x14)
  /// The peer is switched off.
  public static let remotePowerOff = HCIStatus(rawValue: 0x15)
  /// This host ended the link.
  public static let localHostTerminated = HCIStatus(rawValue: 0x16)
  /// The peer does not support a feature.
  public static let unsupportedRemoteFeature = HCIStatus(rawValue: 0x1A)
  /// An error without a better name.
  public static let unspecifiedError = HCIStatus(rawValue: 0x1F)
  /// A link layer procedure was not answered in time.
  public static let linkLayerResponseTimeout = HCIStatus(rawValue: 0x22)
  /// The controller is busy.
  public static let controllerBusy = HCIStatus(rawValue: 0x3A)
  /// The connection parameters are not acceptable.
  public static let unacceptableConnectionParameters = HCIStatus(rawValue: 0x3B)
  /// Advertising ended by its own duration.
  public static let advertisingTimeout = HCIStatus(rawValue: 0x3C)
  /// A packet failed its integrity check: the two ends encrypt with different keys.
  public static let messageIntegrityCheckFailure = HCIStatus(rawValue: 0x3D)
  /// The link was lost at once: its first packets never came.
  public static let connectionFailedToBeEstablished = HCIStatus(rawValue: 0x3E)
  /// No advertising set has that number.
  public static let unknownAdvertisingIdentifier = HCIStatus(rawValue: 0x42)
  /// A limit that the host gave was reached.
  public static let limitReached = HCIStatus(rawValue: 0x43)
  /// The data of an advertisement do not fit its packets.
  public static let packetTooLong = HCIStatus(rawValue: 0x45)
}
