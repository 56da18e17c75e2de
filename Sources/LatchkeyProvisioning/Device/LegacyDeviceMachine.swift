import Foundation
import LatchkeyProvisioningProtocol

/// A connection of a central, as it uses one of the services.
struct LegacyDevicePeer: Hashable, Sendable {
  let central: UUID
  let service: LegacyService
  /// Tells the central's connections apart: one that is lost unheard may seem to be up when the next one begins.
  let connection: UInt32
}

/// The device's side without a radio: writes go in, answers and work for the handler come out. Each connection's state is its
/// own; a central has one at a time.
struct LegacyDeviceMachine: ~Copyable {
  /// What is to be done.
  enum Action: Equatable, Sendable {
    /// Ask the handler; `number` tells this state of the peer from those before and after it.
    case ask(LegacyDevicePeer, number: Int, bytes: [UInt8])
    /// Send to the peer, if it has subscribed; `uncut` values are not cut into pieces.
    case notify(LegacyDevicePeer, [UInt8], uncut: Bool)
    /// Give up what the handler does for the peer, and what is still to be sent to it.
    case abandon(LegacyDevicePeer)
    case report(LegacyUnauthenticatedDeviceEvent)
  }

  private struct PeerState {
    let number: Int
    /// The latest whole frame, or plain value, that was sent: what a read returns.
    var latest: [UInt8] = []
    var isHandlerAtWork = false
    var pending: ArraySlice<[UInt8]> = []
    var lastActive: Duration
  }

  /// How many payloads of one central may wait for the handler.
  static let maximumPending = 4
  /// How many centrals' plain values are remembered; another one takes the place of one that is idle.
  static let maximumPlainPeers = 8

  private var sessions: LegacyDeviceSessions<LegacyDevicePeer>
  private var peers: [LegacyDevicePeer: PeerState] = [:]
  private var nextNumber = 0
  private var actions: [Action] = []

  init(options: LegacyDeviceOptions) {
    sessions = LegacyDeviceSessions(maximumFrameLength: options.maximumFrameLength, idleLimit: options.idleLimit)
  }

  /// When `handleTimeout(now:)` is due.
  var nextDeadline: Duration? { sessions.nextDeadline }

  /// What a read of the answer characteristic returns.
  func latest(for peer: LegacyDevicePeer) -> [UInt8] { peers[peer]?.latest ?? [] }

  /// Takes what was done since the last call, in order.
  mutating func dequeueActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  /// Takes a written value.
  ///
  /// - Throws: what to answer the write with; the peer's state and keys are gone then.
  mutating func receive(
    _ value: [UInt8], from peer: LegacyDevicePeer, now: Duration, using generator: inout any RandomNumberGenerator
  ) throws(LegacyRefusal) {
    forgetEarlierConnections(than: peer)
    switch peer.service {
    case .plain:
      guard makeRoom(for: peer) else { return try refuse(.busy, peer) }
      try enqueue(value, of: peer, now: now)
    case .encrypted:
      guard !value.isEmpty else { return }
      handleTimeout(now: now)
      let ended = sessions.makeRoom(for: peer, now: now) { peers[$0]?.isHandlerAtWork != true }
      if let ended { endSilent(ended) }
      touch(peer, now: now)
      for output in sessions.receive(value, from: peer, now: now, using: &generator) {
        switch output {
        case .receivedFrame(let frame): report(.receivedFrame(frame, from: peer.central))
        case .send(let frame): send(frame, to: peer)
        case .unauthenticatedKeyAgreed: report(.unauthenticatedKeyAgreed(peer.central))
        case .received(let message): try enqueue(Array(message.trimmedBytes), of: peer, now: now)
        case .failed(let error): return try refuse(error, peer)
        }
      }
    }
  }

  /// Takes the handler's word that it is done with a payload.
  mutating func handled(_ peer: LegacyDevicePeer, number: Int) {
    guard peers[peer]?.number == number else { return }
    peers[peer]?.isHandlerAtWork = false
    askNext(peer)
  }

  /// Takes an answer of the handler's; one for a state of the peer that is gone goes nowhere.
  mutating func answer(_ answer: LegacyUnauthenticatedAnswer, to peer: LegacyDevicePeer, number: Int, now: Duration) {
    guard peers[peer]?.number == number else { return }
    switch peer.service {
    case .plain:
      let value = Array(answer.text.utf8)
      peers[peer]?.latest = value
      actions.append(.notify(peer, value, uncut: true))
      report(.answered(answer, to: peer.central))
    case .encrypted:
      do {
        send(try sessions.frame(answer.text, to: peer, now: now), to: peer)
        report(.answered(answer, to: peer.central))
      } catch {
        report(.notAnswered(error, to: peer.central))
      }
    }
  }

  /// Takes the word that a peer let go of the answers, or is gone.
  mutating func unsubscribed(_ peer: LegacyDevicePeer) {
    forget(peer)
    report(.unsubscribed(peer.central, peer.service))
  }

  /// Takes the time.
  mutating func handleTimeout(now: Duration) {
    for peer in sessions.handleTimeout(now: now) { endSilent(peer) }
  }

  private mutating func endSilent(_ peer: LegacyDevicePeer) {
    forget(peer)
    report(.timedOut(peer.central))
  }

  /// Erases a peer's keys, and all that is known of it.
  mutating func forget(_ peer: LegacyDevicePeer) {
    if peer.service == .encrypted { sessions.forget(peer) }
    if peers.removeValue(forKey: peer) != nil { actions.append(.abandon(peer)) }
  }

  // MARK: Inside

  /// Nothing tells of the end of a connection on which a central has not subscribed; its next one does.
  private mutating func forgetEarlierConnections(than peer: LegacyDevicePeer) {
    let others = peers.keys.filter { $0.central == peer.central && $0.connection != peer.connection }
    for other in others { forget(other) }
  }

  private mutating func refuse(_ error: LegacySessionError, _ peer: LegacyDevicePeer) throws(LegacyRefusal) {
    forget(peer)
    report(.refused(error, peer.central))
    if let refusal = error.refusal { throw refusal }
  }

  private mutating func report(_ event: LegacyUnauthenticatedDeviceEvent) { actions.append(.report(event)) }

  private mutating func send(_ frame: LegacyFrame, to peer: LegacyDevicePeer) {
    let bytes = frame.encoded
    peers[peer]?.latest = bytes
    report(.sentFrame(frame, to: peer.central))
    actions.append(.notify(peer, bytes, uncut: false))
  }

  private mutating func enqueue(_ payload: [UInt8], of peer: LegacyDevicePeer, now: Duration) throws(LegacyRefusal) {
    touch(peer, now: now)
    guard peers[peer]?.pending.count ?? 0 < Self.maximumPending else { return try refuse(.busy, peer) }
    peers[peer]?.pending.append(payload)
    report(.requested(peer.central, peer.service))
    askNext(peer)
  }

  /// One payload of a peer is handled at a time, in order.
  private mutating func askNext(_ peer: LegacyDevicePeer) {
    guard let state = peers[peer], !state.isHandlerAtWork, let payload = peers[peer]?.pending.popFirst() else { return }
    peers[peer]?.isHandlerAtWork = true
    actions.append(.ask(peer, number: state.number, bytes: payload))
  }

  private mutating func touch(_ peer: LegacyDevicePeer, now: Duration) {
    if peers[peer] == nil {
      nextNumber += 1
      peers[peer] = PeerState(number: nextNumber, lastActive: now)
    }
    peers[peer]?.lastActive = now
  }

  /// Nothing tells when a central that has not subscribed is gone, so the longest idle one makes room.
  private mutating func makeRoom(for peer: LegacyDevicePeer) -> Bool {
    let others = peers.filter { $0.key.service == .plain && $0.key != peer }
    guard others.count >= Self.maximumPlainPeers else { return true }
    let idle = others.filter { !$0.value.isHandlerAtWork && $0.value.pending.isEmpty }
    guard let oldest = idle.min(by: { $0.value.lastActive < $1.value.lastActive }) else { return false }
    forget(oldest.key)
    return true
  }
}
