/// What a device's network connection is doing.
public enum NetworkState: Hashable, Sendable {
  /// No attempt to join has been made.
  case idle
  /// An attempt to join is under way.
  case connecting
  /// The device has joined.
  case connected(JoinedNetwork)
  /// The last attempt failed; nothing of it is kept.
  case failed(JoinFailure)
}

/// The network that a device has joined.
public struct JoinedNetwork: Hashable, Sendable {
  /// The network's name: 1 to 32 bytes.
  public var ssid: [UInt8]
  /// The device's address in it, IPv4 or IPv6 as text; nil if the protocol does not say.
  public var address: String?
  /// How the network protects itself; nil if the protocol does not say.
  public var security: NetworkSecurity?
  /// The address of the access point, 6 bytes; nil if the protocol does not say.
  public var bssid: [UInt8]?
  /// The channel; nil if the protocol does not say.
  public var channel: Int?
  /// What lies beyond the network.
  public var reach: NetworkReach
  /// Whether the device joins it again after a restart; nil if nobody says.
  public var isKept: Bool?
  /// A page of the device, such as Improv's devices name; nil if the protocol does not say. It comes from the device: show it
  /// before it is opened.
  public var page: String?

  /// A network that was joined.
  public init(
    ssid: [UInt8], address: String? = nil, security: NetworkSecurity? = nil, bssid: [UInt8]? = nil, channel: Int? = nil,
    reach: NetworkReach = .unknown, isKept: Bool? = nil, page: String? = nil
  ) {
    self.ssid = ssid
    self.address = address
    self.security = security
    self.bssid = bssid
    self.channel = channel
    self.reach = reach
    self.isKept = isKept
    self.page = page
  }
}

/// What lies beyond a joined network, as far as the device has checked.
public enum NetworkReach: UInt8, Hashable, Sendable, CaseIterable {
  /// Nobody has checked, or the protocol does not say.
  case unknown = 0
  /// The Internet.
  case internet = 1
  /// A page that asks to log in.
  case portal = 2
  /// Nothing: the network has no Internet access.
  case noInternet = 3
}

/// Why a device has not joined a network.
public enum JoinFailure: UInt8, Error, Hashable, Sendable, CaseIterable {
  /// A reason that is none of the others, or that the protocol does not name.
  case other = 0
  /// The network refused the passphrase.
  case wrongPassphrase = 1
  /// No access point has this name.
  case networkNotFound = 2
  /// The network accepted the device and then gave it no address.
  case noAddress = 3
  /// The attempt took too long.
  case timedOut = 4
  /// The device has no radio that could join, or the service that manages it does not answer.
  case radioUnavailable = 5
  /// The device may not change its network: a permission is missing.
  case notPermitted = 6
}
