/// Numbers the channels of a host, none twice.
public struct ChannelID: Hashable, Sendable {
  /// The number.
  public let value: UInt64

  /// The channel of a number.
  public init(_ value: UInt64) { self.value = value }
}

/// What a host reports about channels (Core 6.0 Vol 3 Part A 4.22). A channel that was requested has one `opened` or
/// `failed`; an open one has one `closed`, unless the client closes it.
public enum ChannelEvent: Sendable {
  /// A channel is open.
  case opened(ChannelDescription)
  /// A channel that the client requested is not open.
  case failed(ChannelID, LinkID, ChannelFailure)
  /// The peer sent these bytes. The client calls `consumeChannel(_:count:now:)` once it has processed them.
  case data(ChannelID, [UInt8])
  /// A channel accepts bytes again after it did not accept all.
  case writable(ChannelID)
  /// A channel ended. The client calls `closeChannel(_:now:)` once it has processed that.
  case closed(ChannelID, ChannelEnd)

  /// The channel that the event is about.
  public var channel: ChannelID {
    switch self {
    case .opened(let channel): channel.id
    case .failed(let id, _, _), .data(let id, _), .writable(let id), .closed(let id, _): id
    }
  }
}

/// An open channel.
public struct ChannelDescription: Hashable, Sendable {
  /// The channel's number.
  public var id: ChannelID
  /// Its link.
  public var link: LinkID
  /// The device at the other end.
  public var peer: BluetoothAddress
  /// The service that it belongs to.
  public var psm: UInt16
  /// Whether the peer requested it.
  public var isIncoming: Bool
}

/// Why a channel was not opened.
public enum ChannelFailure: Sendable, Hashable {
  /// The peer refused it.
  case refused(ChannelResult)
  /// The link could not be made as secure as it has to be: `keyMissing` or `encryptionFailed`.
  case notSecured(GATTFailure)
  /// The peer does not know such channels.
  case notSupported
  /// The peer's answer violates the protocol.
  case peerMisbehaved
  /// The peer did not answer.
  case timedOut
  /// The link ended, or is not up.
  case disconnected
  /// This host has no room for another channel on the link.
  case noResources
}

/// Why an open channel ended.
public enum ChannelEnd: Sendable, Hashable {
  /// The peer closed it.
  case closedByPeer
  /// The link ended.
  case disconnected
  /// The peer violated the protocol, and this host closed it.
  case violated(ChannelViolation)
}

/// What a peer does on a channel that the specification answers with the channel's end (Core 6.0 Vol 3 Part A 3.4.3,
/// 10.1).
public enum ChannelViolation: Error, Sendable, Hashable {
  /// A frame for which the peer had no credit.
  case frameWithoutCredit
  /// A frame longer than the MPS.
  case frameTooLong
  /// A first frame without the length of its SDU.
  case noLength
  /// An SDU longer than the MTU.
  case dataTooLong
  /// A frame that carries more than is left of its SDU.
  case excessData
  /// Credits that are none, or more than 65 535 together with earlier ones.
  case invalidCredits
}
