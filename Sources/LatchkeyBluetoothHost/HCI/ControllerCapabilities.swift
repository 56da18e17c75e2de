/// The capabilities of a controller, read at start-up.
package struct ControllerCapabilities: Sendable, Equatable {
  /// Nil if the controller did not report it.
  package var version: HCIReadLocalVersionInformation.ReturnParameters?
  /// The public address; nil if the controller has none or did not report it.
  package var publicAddress: BluetoothAddress?
  /// A hint: see `HCISupportedCommands`.
  package var commands = HCISupportedCommands()
  /// Empty if the controller did not report them.
  package var features: LEFeatures = []
  /// Bytes of data in one ACL packet to the controller.
  package var aclPacketLength = 0
  /// ACL packets that the controller holds.
  package var aclPacketCount = 0
  /// Whether the controller holds data back until the host has returned buffers by HCI Host Number Of Completed
  /// Packets; it may fill `ControllerInitialization.hostPacketCount` of them.
  package var usesHostFlowControl = false

  /// The capacity of the filter accept list; 0 if there is none, or a command for its use is missing.
  package var filterAcceptListSize = 0
  /// The capacity of the resolving list; 0 if there is none, or it is not used.
  package var resolvingListSize = 0
  /// Whether the controller can scan while it initiates a connection. Some controllers report so wrongly.
  package var scansWhileInitiating = true
  /// What the controller has of extended advertising; nil if it has none, or a command for it is missing. With it, the
  /// host uses the extended commands alone: a controller takes those or the legacy ones, never both (Core 6.0 Vol 4 Part
  /// E 3.1.1).
  package var extendedAdvertising: ExtendedAdvertising?

  package init() {}
}

/// What a controller has of extended advertising (Core 6.0 Vol 4 Part E 7.8.57, 7.8.58).
package struct ExtendedAdvertising: Sendable, Equatable {
  /// How many advertising sets there can be.
  package var setCount = 1
  /// The most data in an advertisement, in bytes.
  package var dataCapacity = LegacyAdvertisingData.capacity

  package init() {}
}

/// The features of a link layer that this host uses (Core 6.0 Vol 6 Part B 4.6).
package struct LEFeatures: OptionSet, Hashable, Sendable {
  package let rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static let encryption = LEFeatures(rawValue: 1 << 0)
  package static let connectionParametersRequest = LEFeatures(rawValue: 1 << 1)
  package static let extendedRejectIndication = LEFeatures(rawValue: 1 << 2)
  package static let peripheralInitiatedFeaturesExchange = LEFeatures(rawValue: 1 << 3)
  package static let ping = LEFeatures(rawValue: 1 << 4)
  package static let dataPacketLengthExtension = LEFeatures(rawValue: 1 << 5)
  package static let privacy = LEFeatures(rawValue: 1 << 6)
  package static let extendedScanningFilterPolicies = LEFeatures(rawValue: 1 << 7)
  package static let phy2M = LEFeatures(rawValue: 1 << 8)
  package static let phyCoded = LEFeatures(rawValue: 1 << 11)
  package static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)

  /// Whether the link layer has a physical layer.
  package func supports(_ phy: LEPHY) -> Bool {
    switch phy {
    case .le1M: true
    case .le2M: contains(.phy2M)
    case .leCoded: contains(.phyCoded)
    }
  }

  /// The physical layers on which the link layer scans, advertises first and initiates.
  package var primaryPHYs: LEPHYs { contains(.phyCoded) ? [.le1M, .leCoded] : .le1M }
}
