import LatchkeyProvisioningProtocol

/// What a legacy device offers, and how long it keeps what it knows of a central.
public struct LegacyDeviceOptions: Sendable {
  /// Whether F100 is offered beside F200: whatever is written there comes **in the clear**.
  public var allowsPlainService = false
  /// How long a central's keys are kept while nothing is exchanged.
  public var idleLimit = Duration.seconds(120)
  /// The greatest frame that is taken, in bytes, its header included.
  public var maximumFrameLength = LegacyFrameParser.defaultMaximumFrameLength

  /// The defaults: F200 alone.
  public init() {}
}

/// Why a legacy device had to stop.
public enum LegacyDeviceError: Error, Equatable, Sendable {
  /// There was no radio to use from the start, or none that can: the manager's state in a word, and why the controller was
  /// lost, such as "cannot connect to /tmp/radio: No such file or directory"; nil where no cause is known.
  case radioUnavailable(String, cause: String?)
  /// A service could not be added: the system's words.
  case serviceRefused(LegacyService, String)
  /// Advertising could not begin: the system's words.
  case advertisingFailed(String)
}
