/// A channel with credits of one link, from the request to the end (Core 6.0 Vol 3 Part A 4.22 to 4.24).
///
/// A class like `Link`, and for the same reasons; it never leaves the host.
final class CreditBasedChannel {
  enum State {
    /// To be requested of the peer once the link is secure.
    case waiting
    /// Requested of the peer.
    case connecting
    /// Given up before the peer answered. If it accepts all the same, the channel is closed.
    case abandoned
    case open
    /// Closed by the client; what it wrote before is still sent.
    case draining
    /// The peer was asked to close it. Its frames are dropped.
    case disconnecting
    /// Ended; the identifier is free.
    case ended
  }

  /// How long the peer may take to accept what was written before the channel was closed.
  static let drainTimeout = Duration.seconds(5)

  let id: ChannelID
  let link: Link
  let client: ClientID
  let psm: UInt16
  /// Whether the peer requested it.
  let isIncoming: Bool
  /// The identifier at this end.
  let local: L2CAPChannelID
  /// The identifier at the peer's; 0 until the channel is open.
  @exclusivity(unchecked) private(set) var remote = L2CAPChannelID(rawValue: 0)
  @exclusivity(unchecked) var state = State.connecting
  /// The peer's refusal for lack of security, after which it was requested again.
  @exclusivity(unchecked) var refusal: ChannelResult?
  @exclusivity(unchecked) var receiver: ChannelReceiver
  @exclusivity(unchecked) var sender: ChannelSender
  /// When a channel that drains is closed all the same.
  @exclusivity(unchecked) var drainDeadline: Duration?

  init(
    id: ChannelID, link: Link, client: ClientID, psm: UInt16, isIncoming: Bool, local: L2CAPChannelID,
    _ own: ChannelParameters
  ) {
    self.id = id
    self.link = link
    self.client = client
    self.psm = psm
    self.isIncoming = isIncoming
    self.local = local
    receiver = ChannelReceiver(own)
    sender = ChannelSender(ChannelParameters(mtu: 0, mps: 0, credits: 0))
  }

  /// Opens the channel to the peer's end.
  func open(_ remote: L2CAPChannelID, _ peer: ChannelParameters) {
    self.remote = remote
    sender = ChannelSender(peer)
    state = .open
  }

  /// Whether frames are sent.
  var isSending: Bool { state == .open || state == .draining }

  /// Whether the peer has an end of it.
  var isConnected: Bool { state == .open || state == .draining || state == .disconnecting }

  var description: ChannelDescription {
    ChannelDescription(id: id, link: link.id, peer: link.peer, psm: psm, isIncoming: isIncoming)
  }
}
