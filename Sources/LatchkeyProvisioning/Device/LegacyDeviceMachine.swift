import Foundation
import LatchkeyProvisioningProtocol

/// A connection of a central, for one of the services.
struct LegacyDevicePeer: Hashable, Sendable {
  let central: UUID
  let service: LegacyService
  /// Distinguishes the central's connections: a lost one may seem to be up when the next one starts.
  let connection: UInt32
}

/// The device's side without a radio: its inputs are writes, its outputs are answers and work for the handler. Connections share
/// no state; a central has one at a time.
struct LegacyDeviceMachine: ~Copyable {
  /// An action to perform.
  enum Action: Equatable, Sendable {
    /// Ask the handler; `number` identifies this state of the peer among those before and after it.
    case ask(LegacyDevicePeer, number: Int, bytes: [UInt8])
    /// Send to the peer, if it has subscribed; `uncut` values are not cut into pieces.
    case notify(LegacyDevicePeer, [UInt8], uncut: Bool)
    /// Cancel the handler's work for the peer, and drop the values that wait for it.
    case abandon(LegacyDevicePeer)
    case report(LegacyUnauthenticatedDeviceEvent)
  }

  private struct PeerState {
    let number: Int
    /// The latest whole frame, or plain value, that was sent; a read returns it.
    var latest: [UInt8] = []
    var isHandlerRunning = false
    var pending: ArraySlice<[UInt8]> = []
    var lastActive: Duration
  }

  /// The number of payloads of one central that may wait for the handler.
  static let maximumPending = 4
  /// The number of centrals whose plain values are stored; another one replaces an idle one.
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

  /// The value that a read of the answer characteristic returns.
  func latest(for peer: LegacyDevicePeer) -> [UInt8] { peers[peer]?.latest ?? [] }

  /// The actions since the last call, in order.
  mutating func dequeueActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  /// Handles a written value.
  ///
  /// - Throws: the error that answers the write; the peer's state and keys are erased then.
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
      let ended = sessions.makeRoom(for: peer, now: now) { peers[$0]?.isHandlerRunning != true }
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

  /// Handles the end of the handler's work on a payload.
  mutating func handled(_ peer: LegacyDevicePeer, number: Int) {
    guard peers[peer]?.number == number else { return }
    peers[peer]?.isHandlerRunning = false
    askNext(peer)
  }

  /// Sends an answer of the handler; one for an earlier state of the peer is dropped.
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

  /// Handles the end of a peer's subscription, or of its link.
  mutating func unsubscribed(_ peer: LegacyDevicePeer) {
    forget(peer)
    report(.unsubscribed(peer.central, peer.service))
  }

  /// Ends the sessions whose peers were silent or idle for too long.
  mutating func handleTimeout(now: Duration) {
    for peer in sessions.handleTimeout(now: now) { endSilent(peer) }
  }

  private mutating func endSilent(_ peer: LegacyDevicePeer) {
    forget(peer)
    report(.timedOut(peer.central))
  }

  /// Erases a peer's keys and state.
  mutating func forget(_ peer: LegacyDevicePeer) {
    if peer.service == .encrypted { sessions.forget(peer) }
    if peers.removeValue(forKey: peer) != nil { actions.append(.abandon(peer)) }
  }

  // MARK: Inside

  /// The end of a connection without a subscription is not reported; the central's next connection shows it.
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
    guard let state = peers[peer], !state.isHandlerRunning, let payload = peers[peer]?.pending.popFirst() else {
      return
    }
    peers[peer]?.isHandlerRunning = true
    actions.append(.ask(peer, number: state.number, bytes: payload))
  }

  private mutating func touch(_ peer: LegacyDevicePeer, now: Duration) {
    if peers[peer] == nil {
      nextNumber += 1
      peers[peer] = PeerState(number: nextNumber, lastActive: now)
    }
    peers[peer]?.lastActive = now
  }

  /// The end of a connection without a subscription is not reported, so the longest idle one is removed.
  private mutating func makeRoom(for peer: LegacyDevicePeer) -> Bool {
    let others = peers.filter { $0.key.service == .plain && $0.key != peer }
    guard others.count >= Self.maximumPlainPeers else { return true }
    let idle = others.filter { !$0.value.isHandlerRunning && $0.value.pending.isEmpty }
    guard let oldest = idle.min(by: { $0.value.lastActive < $1.value.lastActive }) else { return false }
    forget(oldest.key)
    return true
  }
}
