/// What peers need to open a channel.
public struct ChannelSecurity: Sendable, Hashable {
  /// Whether the link has to be encrypted.
  public var needsEncryption: Bool

  /// The security of a service.
  public init(needsEncryption: Bool = false) { self.needsEncryption = needsEncryption }
}

/// The services with channels that clients publish, and all channels of a host by their numbers.
struct ChannelRegistry {
  /// A service with channels.
  struct Service {
    let client: ClientID
    let security: ChannelSecurity
    /// Channels that peers opened and that the client has not closed.
    var unclosed = 0
  }

  /// The numbers of services that a device assigns by itself (Core 6.0 Vol 3 Part A 4.22).
  static let dynamicPSMs: ClosedRange<UInt16> = 0x0080...0x00FF
  /// How many channels of one service peers may have open, those included whose end the client has not processed:
  /// peers that open and close channels fill no queue.
  static let mostPerService = 64

  private var services: [UInt16: Service] = [:]
  private var channels: [ChannelID: CreditBasedChannel] = [:]
  private var lastPSM = dynamicPSMs.upperBound
  private var lastID: UInt64 = 0

  // MARK: Services

  subscript(psm: UInt16) -> Service? { services[psm] }

  /// Whether a service, of a client or of any, needs an encrypted link.
  func isGuarded(of client: ClientID? = nil) -> Bool {
    services.contains { $0.value.security.needsEncryption && (client == nil || $0.value.client == client) }
  }

  /// Publishes a service. Returns its number: the next free one in turn; nil if there is none.
  mutating func publish(_ client: ClientID, _ security: ChannelSecurity) -> UInt16? {
    for _ in Self.dynamicPSMs {
      lastPSM = lastPSM == Self.dynamicPSMs.upperBound ? Self.dynamicPSMs.lowerBound : lastPSM + 1
      guard services[lastPSM] == nil else { continue }
      services[lastPSM] = Service(client: client, security: security)
      return lastPSM
    }
    return nil
  }

  /// Ends a service. Returns false if the client has none of that number.
  mutating func unpublish(_ psm: UInt16, _ client: ClientID) -> Bool {
    guard services[psm]?.client == client else { return false }
    services[psm] = nil
    return true
  }

  /// Ends all services of a client.
  mutating func unpublishAll(of client: ClientID) { services = services.filter { $0.value.client != client } }

  // MARK: Channels

  mutating func nextID() -> ChannelID {
    lastID += 1
    return ChannelID(lastID)
  }

  subscript(id: ChannelID) -> CreditBasedChannel? { channels[id] }

  /// The channels of a client, oldest first.
  func channels(of client: ClientID) -> [CreditBasedChannel] {
    channels.values.filter { $0.client == client }.sorted { $0.id.value < $1.id.value }
  }

  mutating func add(_ channel: CreditBasedChannel) {
    channels[channel.id] = channel
    if channel.isIncoming { services[channel.psm]?.unclosed += 1 }
  }

  /// Removes a channel: no event about it follows.
  mutating func remove(_ channel: CreditBasedChannel) {
    guard channels.removeValue(forKey: channel.id) != nil, channel.isIncoming, var service = services[channel.psm],
      service.client == channel.client, service.unclosed > 0
    else { return }
    service.unclosed -= 1
    services[channel.psm] = service
  }
}
