import LatchkeyProvisioningProtocol

/// What an app accepts of devices, and how long it waits.
public struct ProvisionerOptions: Sendable {
  /// The protocols that may be spoken; of those that a device offers the strongest is. By default those that ask for a code:
  /// with the others anyone in range may read what is sent, or be the device.
  public var accepts: Set<ProvisioningProtocol> = [.secure, .espressif]
  /// Whether Espressif's Security 0 is accepted, which neither encrypts nor asks for a code.
  public var allowsEspressifSecurity0 = false
  /// Whether Espressif's Security 1 is accepted, which older devices speak: any device that says so gets enough to try all codes at
  /// leisure, so that the code must be one that opens nothing else.
  public var allowsEspressifSecurity1 = false
  /// The user name of Espressif's Security 2.
  public var espressifUsername = "wifiprov"
  /// How long the device is looked for.
  public var searchTimeout = Duration.seconds(30)
  /// How long a connection may take.
  public var connectTimeout = Duration.seconds(15)
  /// How long a session may take to open once the link is up; while somebody has to act at the device, it is not counted.
  public var openTimeout = Duration.seconds(60)
  /// How long a request may take, an attempt to join among them.
  public var requestTimeout = Duration.seconds(180)
  /// The devices that are known to speak the secure protocol: they are never spoken to by another.
  public var knownDevices: any KnownDeviceStore = TransientKnownDevices()

  /// The protocols that ask for a code, and half a minute for a search.
  public init() {}
}
