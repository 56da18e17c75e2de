/// A device's sessions with several apps at once, one for each `Peer`, as many as eight.
///
/// A session starts with a peer's first bytes and goes when it fails, when its peer is forgotten, or when nothing was
/// exchanged for `idleLimit`: a peripheral is not always told that a central has left. Each peer's state is its own.
public struct LegacyDeviceSessions<Peer: Equatable & Sendable>: ~Copyable, Sendable {
  /// What must be known of a session without touching it.
  private struct Registration: Sendable {
    let peer: Peer
    let openSince: Duration
    var idleSince: Duration
    var silenceDeadline: Duration?
  }

  /// How many peers have a session at the same time; the next is refused as `busy` unless room is made for it.
  public static var capacity: Int { 8 }
  /// How long a peer that has not agreed on a key is sure of its session, while nothing is exchanged.
  static var beginnersTurn: Duration { .seconds(2) }
  /// How long a peer that has agreed on a key is sure of its session, while nothing is exchanged.
  static var turn: Duration { .seconds(20) }

  /// How long a peer is sure of its session at most, whatever is exchanged.
  static var longestTurn: Duration { .seconds(60) }

  /// Why a session may end for another peer's sake; of several the first one listed does.
  private enum Dispensability: Int {
    case idleBeginner, idle, openForLong
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

  /// Takes a value that `peer` wrote, and starts its session if it has none, with a key from `generator`.
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

  /// Makes room for `peer` where all sessions are taken: the one that was idle for the longest ends, those that have agreed on
  /// a key last; or, where none is idle, the one that has been open for the longest, if that is long. So peers that come under
  /// many addresses, or keep writing, do not keep all others out.
  ///
  /// - Parameter isFree: whether a peer's session may be ended as far as the caller is concerned.
  /// - Returns: whose session ended; nil if there was room, or all are in use.
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

  /// Which sessions end before others to make room; nil if the session is not to end.
  private func order(of registration: Registration, isEstablished: Bool, now: Duration) -> (Int, Duration)? {
    let why: Dispensability
    if now - registration.idleSince >= (isEstablished ? Self.turn : Self.beginnersTurn) {
      why = isEstablished ? .idle : .idleBeginner
    } else if now - registration.openSince >= Self.longestTurn {
      why = .openForLong
    } else {
      return nil
    }
    return (why.rawValue, why == .openForLong ? registration.openSince : registration.idleSince)
  }

  /// Ends the sessions whose peers fell silent within a frame, or were idle for too long, and returns these peers.
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
