package import LatchkeyByteCoding

/// The commands of this host on a link's signalling channel: their identifiers, and the time that the peer has to answer
/// (Core 6.0 Vol 3 Part A 4, 6.2.1).
package struct L2CAPSignallingMachine: Sendable {
  /// The Response Timeout (RTX): 1 to 60 s. Commands are not sent twice, since a link loses none.
  package static let responseTimeout = Duration.seconds(30)

  /// What a command that needs an answer is for.
  package enum Purpose: Sendable, Hashable {
    /// Other parameters of the connection.
    case parameters
    /// A channel is to be opened.
    case connection(ChannelID)
    /// A channel is to be closed: its identifiers at this end and at the peer's.
    case disconnection(ChannelID, local: L2CAPChannelID, remote: L2CAPChannelID)
  }

  /// The action for a PDU.
  package enum Reaction: Sendable, Equatable {
    case ignore
    /// Send this frame on the signalling channel.
    case send([UInt8])
    /// Send this frame, then change the link's parameters by HCI LE Connection Update.
    case update(ConnectionParameters, send: [UInt8])
    /// The peer opens or closes a channel, or gives credits to one.
    case channel(identifier: UInt8, L2CAPSignal)
    /// The peer answered a command.
    case answered(Purpose, L2CAPSignal)
  }

  private struct Outstanding: Sendable {
    let identifier: UInt8
    let purpose: Purpose
    /// Nil if the time is over, but a late answer still matters.
    var deadline: Duration?
  }

  private var outstanding: [Outstanding] = []
  private var lastIdentifier: UInt8 = 0
  /// The parameters to request after the outstanding request was answered.
  private var nextParameters: ConnectionParameters?

  /// A machine that awaits nothing.
  package init() {}

  // MARK: Received

  /// Decides on a PDU.
  package mutating func receive(
    _ payload: ByteReader, role: LinkRole, isChangingParameters: Bool = false
  ) -> Reaction {
    switch L2CAPSignalling.react(to: payload, role: role, isChangingParameters: isChangingParameters) {
    case .ignore: return .ignore
    case .send(let frame): return .send(frame)
    case .update(let parameters, let frame): return .update(parameters, send: frame)
    case .channel(let identifier, let signal): return .channel(identifier: identifier, signal)
    case .answered(let identifier, let signal):
      // An answer to no command, or of another kind, is dropped (4).
      guard
        let index = outstanding.firstIndex(where: { $0.identifier == identifier && $0.purpose.isAnswered(by: signal) })
      else { return .ignore }
      return .answered(outstanding.remove(at: index).purpose, signal)
    }
  }

  // MARK: Sent

  /// The frame of a command that needs an answer; nil if all identifiers await one.
  package mutating func request(_ signal: L2CAPSignal, for purpose: Purpose, now: Duration) -> [UInt8]? {
    guard let identifier = nextIdentifier() else { return nil }
    outstanding.append(
      Outstanding(identifier: identifier, purpose: purpose, deadline: now + Self.responseTimeout))
    return signal.frame(identifier: identifier)
  }

  /// The frame of a request for other parameters of the connection; nil if one is outstanding. Then the last of the
  /// parameters are requested after its end.
  package mutating func requestParameters(_ parameters: ConnectionParameters, now: Duration) -> [UInt8]? {
    nextParameters = parameters
    return nextParametersRequest(now: now)
  }

  /// The frame of the request for parameters that waited, if there is one.
  package mutating func nextParametersRequest(now: Duration) -> [UInt8]? {
    guard let parameters = nextParameters, !outstanding.contains(where: { $0.purpose == .parameters }) else {
      return nil
    }
    nextParameters = nil
    return request(.connectionParameterUpdateRequest(parameters), for: .parameters, now: now)
  }

  /// The frame of a command that has no answer; nil if all identifiers are in use.
  package mutating func indication(_ signal: L2CAPSignal) -> [UInt8]? {
    nextIdentifier().map { signal.frame(identifier: $0) }
  }

  /// The next identifier that awaits no answer: 1...255, in turn (4).
  private mutating func nextIdentifier() -> UInt8? {
    for _ in 1...0xFF {
      lastIdentifier = lastIdentifier == 0xFF ? 0x01 : lastIdentifier + 1
      let candidate = lastIdentifier
      guard outstanding.contains(where: { $0.identifier == candidate }) else { return candidate }
    }
    return nil
  }

  // MARK: Time

  /// Whether an answer is awaited.
  package var isAwaiting: Bool { !outstanding.isEmpty }

  /// When the first of the peer's times is over.
  package var nextDeadline: Duration? {
    guard !outstanding.isEmpty else { return nil }
    return outstanding.reduce(nil) { earliest($0, $1.deadline) }
  }

  /// Gives the peer more time for the commands that are due.
  package mutating func postpone(until later: Duration, now: Duration) {
    for index in outstanding.indices {
      guard let deadline = outstanding[index].deadline, deadline <= now else { continue }
      outstanding[index].deadline = later
    }
  }

  /// The commands that were not answered in time. A channel that the peer opens all the same is still recognized.
  package mutating func expire(now: Duration) -> [Purpose] {
    var expired: [Purpose] = []
    for index in outstanding.indices {
      guard let deadline = outstanding[index].deadline, deadline <= now else { continue }
      outstanding[index].deadline = nil
      expired.append(outstanding[index].purpose)
    }
    outstanding.removeAll { $0.deadline == nil && !$0.purpose.mattersLate }
    return expired
  }
}

extension L2CAPSignallingMachine.Purpose {
  /// Whether a command is an answer to one of this purpose.
  fileprivate func isAnswered(by signal: L2CAPSignal) -> Bool {
    switch (self, signal) {
    case (_, .commandReject), (.parameters, .connectionParameterUpdateResponse),
      (.connection, .leCreditBasedConnectionResponse):
      true
    // A response for another channel is dropped (4.7).
    case (.disconnection(_, let local, let remote), .disconnectionResponse(let destination, let source)):
      destination == remote && source == local
    default: false
    }
  }

  /// Whether an answer that comes too late is handled: the peer may have opened a channel.
  fileprivate var mattersLate: Bool {
    if case .connection = self { true } else { false }
  }
}
