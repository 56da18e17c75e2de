/// A device's sessions with several apps at once, one for each `Peer`, as many as eight.
///
/// A session starts with a peer's first bytes. It ends when it fails, when its peer is forgotten, or when nothing was
/// exchanged for `idleLimit`: a peripheral does not always learn that a central has disconnected. Peers share no state.
public struct LegacyDeviceSessions<Peer: Equatable & Sendable>: ~Copyable, Sendable {
  /// The part of a session's state that is read without borrowing the session.
  private struct Registration: Sendable {
    let peer: Peer
    let openSince: Duration
    var idleSince: Duration
    var silenceDeadline: Duration?
  }

  /// The number of peers that have a session at the same time; the next one is refused as `busy` unless room is made for it.
  public static var capacity: Int { 8 }
  /// The time without an exchange in which a session without a key cannot be replaced.
  static var unestablishedGrace: Duration { .seconds(2) }
  /// The time without an exchange in which a session with a key cannot be replaced.
  static var establishedGrace: Duration { .seconds(20) }

  /// The age from which a session can be replaced, whatever is exchanged.
  static var longestGrace: Duration { .seconds(60) }

  /// Why a session can be replaced; of several sessions, the one with the first reason listed is.
  private enum ReplacementReason: Int {
    case idleWithoutKey, idle, openForLong
  }

  private var registrations = InlineArray<8, Registration?>(repeating: nil)
  private var sessions = InlineArray<8, LegacySession?> { _ in nil }
  private let maximumFrameLength: Int
  private let idleLimit: Duration

  /// No sessions yet. Frames of more than `maximumFrameLength` bytes, header included, end a session.
  public init(
    maximumFrameLength: Int = LegacyFrameParser.defaultMaximumFrameLength, idleLimit: Duration = .seconds(120)
  ) {
    self.maximumFrameLength = maximumFrameLength
    self.idleLimit = idleLimit
  }

  /// When `handleTimeout(now:)` is due, on the caller's clock.
  public var nextDeadline: Duration? {
    var earliest: Duration?
    for index in registrations.indices {
      guard let deadline = deadline(index) else { continue }
      earliest = min(earliest ?? deadline, deadline)
    }
    return earliest
  }

  /// Handles a value that `peer` wrote; a peer without a session gets one, with a key from `generator`.
  ///
  /// The outputs concern `peer` alone. A session that was due to end before `now` has ended: the value opens a new one.
  public mutating func receive(
    _ value: [UInt8], from peer: Peer, now: Duration, using generator: inout some RandomNumberGenerator
  ) -> [LegacySession.Output] {
    if let index = index(of: peer), let deadline = deadline(index), now >= deadline { close(index) }
    guard !value.isEmpty else { return [] }
    guard let index = index(of: peer) ?? open(peer, now: now, using: &generator) else {
      var parser = LegacyFrameParser(maximumFrameLength: maximumFrameLength)
      return parser.frames(in: value).map { .receivedFrame($0) } + [.failed(.busy)]
    }
    let outputs = sessions[index]?.receive(value, now: now) ?? []
    registrations[index]?.idleSince = now
    registrations[index]?.silenceDeadline = sessions[index]?.nextDeadline
    if sessions[index]?.isOver == true { close(index) }
    return outputs
  }

  /// Makes room for `peer` if there is none: the session that was idle for the longest ends, first among those without a key. If
  /// none is idle, the oldest one ends, if it is older than `longestGrace`. Thus an attacker with many addresses, or one that
  /// writes without pause, does not block all others.
  ///
  /// - Parameter isFree: whether the caller allows a peer's session to end.
  /// - Returns: the peer whose session ended; nil if there was room, or if all are in use.
  public mutating func makeRoom(for peer: Peer, now: Duration, where isFree: (Peer) -> Bool = { _ in true }) -> Peer? {
    guard index(of: peer) == nil, !registrations.indices.contains(where: { registrations[$0] == nil }) else {
      return nil
    }
    var first: (index: Int, order: (Int, Duration))?
    for index in registrations.indices {
      guard let registration = registrations[index], isFree(registration.peer),
        let order = order(of: registration, isEstablished: sessions[index]?.isEstablished ?? false, now: now)
      else { continue }
      if let first, first.order <= order { continue }
      first = (index, order)
    }
    guard let first, let ended = registrations[first.index]?.peer else { return nil }
    close(first.index)
    return ended
  }

  /// The order in which sessions end to make room; nil for a session that must not end.
  private func order(of registration: Registration, isEstablished: Bool, now: Duration) -> (Int, Duration)? {
    let reason: ReplacementReason
    if now - registration.idleSince >= (isEstablished ? Self.establishedGrace : Self.unestablishedGrace) {
      reason = isEstablished ? .idle : .idleWithoutKey
    } else if now - registration.openSince >= Self.longestGrace {
      reason = .openForLong
    } else {
      return nil
    }
    return (reason.rawValue, reason == .openForLong ? registration.openSince : registration.idleSince)
  }

  /// Ends the sessions whose peers were silent within a frame, or idle, for too long, and returns these peers.
  public mutating func handleTimeout(now: Duration) -> [Peer] {
    var peers: [Peer] = []
    for index in registrations.indices {
      guard let deadline = deadline(index), now >= deadline, let peer = registrations[index]?.peer else { continue }
      close(index)
      peers.append(peer)
    }
    return peers
  }

  /// The frame that carries `text` to `peer`.
  ///
  /// - Throws: `ended` if the peer has no session, else as `LegacySession.frame(_:)` does.
  public mutating func frame(_ text: String, to peer: Peer, now: Duration) throws(LegacySessionError) -> LegacyFrame {
    guard let index = index(of: peer), let frame = try sessions[index]?.frame(text) else { throw .ended }
    registrations[index]?.idleSince = now
    return frame
  }

  /// Ends `peer`'s session, if it has one, and erases its keys: call it when the link is lost, and when it begins.
  public mutating func forget(_ peer: Peer) {
    if let index = index(of: peer) { close(index) }
  }

  private func index(of peer: Peer) -> Int? {
    for index in registrations.indices where registrations[index]?.peer == peer { return index }
    return nil
  }

  private func deadline(_ index: Int) -> Duration? {
    guard let registration = registrations[index] else { return nil }
    let idleDeadline = registration.idleSince + idleLimit
    return min(registration.silenceDeadline ?? idleDeadline, idleDeadline)
  }

  private mutating func open(
    _ peer: Peer, now: Duration, using generator: inout some RandomNumberGenerator
  ) -> Int? {
    for index in registrations.indices where registrations[index] == nil {
      guard let key = try? Secp192k1.PrivateKey(using: &generator) else { return nil }
      sessions[index] = LegacySession(role: .device, privateKey: key, maximumFrameLength: maximumFrameLength)
      registrations[index] = Registration(peer: peer, openSince: now, idleSince: now)
      return index
    }
    return nil
  }

  private mutating func close(_ index: Int) {
    registrations[index] = nil
    sessions[index] = nil
  }
}
