import LatchkeyBluetoothTransports

extension CBCentralManager {
  /// What a device's hardware may offer beyond what every central manager does.
  public struct Feature: OptionSet, Sendable {
    /// The bits of the features.
    public let rawValue: UInt

    /// The features of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Scans for extended advertising, and connections to it.
    public static let extendedScanAndConnect = Feature(rawValue: 1 << 0)
    /// Measures the distance to a peripheral by channel sounding.
    public static let channelSounding = Feature(rawValue: 1 << 10)
  }

  /// Whether the controller of the environment, which managers without `CBManagerOptionControllerKey` use, offers all
  /// of these features.
  ///
  /// A virtual radio offers both. Whether a real controller offers extended scans is known once a manager uses it and is
  /// powered on; until then the answer is no.
  public class func supports(_ features: Feature) -> Bool {
    var offered: Feature = Controller.isVirtualByDefault ? [.channelSounding] : []
    if Controller.hasExtendedAdvertisingByDefault { offered.insert(.extendedScanAndConnect) }
    return features.isSubset(of: offered)
  }
}

extension CBCentralManager {
  /// Calls the delegate when any manager of this host connects to or disconnects from a device that one of the options
  /// matches. A later call replaces an earlier one; nil ends it.
  ///
  /// A device's services are those that it advertised or that were discovered by then.
  public func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
    guard clientWhenPoweredOn() != nil else { return }
    engine.registerForConnectionEvents(options.map(ConnectionEventFilter.init))
  }
}
