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
}
