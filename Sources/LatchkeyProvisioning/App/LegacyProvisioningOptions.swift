/// What a legacy provisioner allows, and how long it waits.
public struct LegacyProvisioningOptions: Sendable {
  /// Whether a device that lacks F200 is spoken to over F100, **in the clear**: anyone who listens reads the payload, and anyone who
  /// hides F200 gets it that way. With F200 present it is never used.
  public var allowsPlainService = false
  /// How long the radio may take to be switched on and the device to be found; the radio has a second at least.
  public var searchTimeout = Duration.seconds(30)
  /// How long connecting may take. Core Bluetooth itself waits forever.
  public var connectTimeout = Duration.seconds(15)
  /// From the connection to the device's first answer to the payload.
  public var exchangeTimeout = Duration.seconds(60)
  /// How long, after the device took the payload, its word on the network is waited for. Without it the result is `accepted`.
  public var statusTimeout = Duration.seconds(3)

  /// The defaults: F200 alone, and no step that waits for longer than a minute.
  public init() {}
}
