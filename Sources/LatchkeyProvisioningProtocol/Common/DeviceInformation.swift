/// What a device says of itself. It comes from the device: show it as text.
public struct DeviceInformation: Hashable, Sendable {
  /// The firmware, such as `latchkey`.
  public var firmware: String
  /// Its version.
  public var version: String
  /// The hardware, such as `ESP32-C3` or `x86_64`.
  public var hardware: String
  /// The device's name.
  public var name: String
  /// The operating system; nil if the device does not say.
  public var system: String?
  /// The operating system's version; nil if the device does not say.
  public var systemVersion: String?

  /// What a device says.
  public init(
    firmware: String, version: String, hardware: String, name: String, system: String? = nil,
    systemVersion: String? = nil
  ) {
    self.firmware = firmware
    self.version = version
    self.hardware = hardware
    self.name = name
    self.system = system
    self.systemVersion = systemVersion
  }
}

/// What a device of one protocol can do besides joining a network.
public struct ProvisioningCapabilities: OptionSet, Hashable, Sendable {
  /// A bit for each capability.
  public let rawValue: UInt16

  /// The capabilities of these bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// It lists the networks in its reach.
  public static let scan = ProvisioningCapabilities(rawValue: 1 << 0)
  /// It shows which device it is, with a light say.
  public static let identify = ProvisioningCapabilities(rawValue: 1 << 1)
  /// It says what it is.
  public static let information = ProvisioningCapabilities(rawValue: 1 << 2)
  /// Its host name can be read and set.
  public static let hostname = ProvisioningCapabilities(rawValue: 1 << 3)
  /// It has endpoints of its maker's.
  public static let custom = ProvisioningCapabilities(rawValue: 1 << 4)
  /// It forgets the network that it has joined.
  public static let forget = ProvisioningCapabilities(rawValue: 1 << 5)
  /// The name that people see can be read and set. Improv's devices do not say so: ask.
  public static let name = ProvisioningCapabilities(rawValue: 1 << 6)
}
