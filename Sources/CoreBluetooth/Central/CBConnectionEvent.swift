/// A change of a device's connection to this host, whichever manager caused it.
public enum CBConnectionEvent: Int, Sendable {
  /// The device is disconnected.
  case peerDisconnected = 0
  /// The device is connected.
  case peerConnected = 1
}

/// A key of the options of `CBCentralManager.registerForConnectionEvents(options:)`.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
  /// The key's string.
  public let rawValue: String

  /// The key of a string.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The services of which a device has at least one: `[CBUUID]`.
  public static let serviceUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
  /// The identifiers of devices: `[UUID]`.
  public static let peripheralUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}
