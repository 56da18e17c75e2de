package import LatchkeyEnrollmentStore
internal import NIOCore
internal import Synchronization

/// What is known of the connection that a request came on: whose certificate it showed, and whether it stalls.
///
/// One for each connection, made when it is accepted. The handshake's end, requests' beginnings and ends, and the sweep
/// (`ConnectionTable`) touch it from different threads.
package final class ClientConnection: Sendable {
  /// The connection of the request that this task answers; nil outside of one.
  @TaskLocal package static var current: ClientConnection?

  /// The peer's address, without a port; empty where there is none.
  package let address: String
  /// Who counts as one peer at this address.
  let peer: PeerAddress
  let channel: any Channel
  private let state: Mutex<State>

  private struct State {
    var phase = Phase.handshake
    var fingerprint: Fingerprint?
    var isMultiplexed = false
    /// When the handshake began or ended, or the last request ended.
    var idleSince: NIODeadline
    /// When the first byte of a request came whose head is not there; only without multiplexing.
    var readingSince: NIODeadline?
    /// Requests whose answer has not left.
    var requests = 0
    /// Requests whose body has not come yet, each on its channel (a stream, with multiplexing), answered or not.
    var bodies: [Waited] = []
    /// What is kept of such bodies, in bytes (`UnfinishedBodies`).
    var bodyBytes = 0
    /// Answers that have not left yet.
    var answers: [Waited] = []
    var closesAt: NIODeadline?
    var pause = TimeAmount.nanoseconds(0)
  }

  private struct Waited {
    let channel: any Channel
    let since: NIODeadline
  }

  private enum Phase { case handshake, open }

  init(channel: any Channel, now: NIODeadline) {
    self.channel = channel
    address = channel.remoteAddress?.ipAddress ?? ""
    peer = PeerAddress(address)
    state = Mutex(State(idleSince: now))
  }

  /// SHA-256 of the certificate that the peer showed in the handshake; nil if it showed none.
  ///
  /// A resumed session keeps the certificate of its first handshake, unverified since: what it is worth now is asked for
  /// every request (`DeviceDirectory`).
  package var fingerprint: Fingerprint? { state.withLock { $0.fingerprint } }

  var isInHandshake: Bool { state.withLock { $0.phase == .handshake } }
  /// Requests whose head was parsed, and whose answer has not left.
  var requestsUnderWay: Int { state.withLock { $0.requests } }
  var hasRequests: Bool { requestsUnderWay > 0 }

  // MARK: What happens

  /// The handshake is over.
  func opened(fingerprint: Fingerprint?, isMultiplexed: Bool, now: NIODeadline) {
    state.withLock {
      $0.phase = .open
      $0.fingerprint = fingerprint
      $0.isMultiplexed = isMultiplexed
      $0.idleSince = now
    }
  }

  /// Bytes came.
  func received(now: @autoclosure () -> NIODeadline) {
    state.withLock {
      guard !$0.isMultiplexed, $0.requests == 0, $0.readingSince == nil else { return }
      $0.readingSince = now()
    }
  }

  /// A request's head came; its body's end is awaited.
  func arrived(on channel: any Channel, now: NIODeadline) {
    state.withLock {
      $0.requests += 1
      $0.bodies.append(Waited(channel: channel, since: $0.readingSince ?? now))
      $0.readingSince = nil
    }
  }

  /// A request's body is there.
  func bodyEnded(on channel: any Channel) {
    state.withLock { Self.remove(channel, from: &$0.bodies) }
  }

  /// An answer is being sent.
  func answering(on channel: any Channel, now: NIODeadline) {
    state.withLock { $0.answers.append(Waited(channel: channel, since: now)) }
  }

  /// An answer has left, or its channel is gone.
  func departed(on channel: any Channel, now: NIODeadline) {
    state.withLock {
      $0.requests -= 1
      $0.idleSince = now
      Self.remove(channel, from: &$0.answers)
    }
  }

  /// A channel is gone, and with it what was awaited on it.
  func left(_ channel: any Channel) {
    state.withLock { Self.remove(channel, from: &$0.bodies) }
  }

  /// The rest of what comes is not wanted: the connection ends soon, once its peer could read the answer, and no request is begun on it
  /// any more. One of many streams harms no other, and is reset behind its answer (`RequestArrivals`).
  func endSoon(now: NIODeadline) {
    state.withLock { if !$0.isMultiplexed { $0.closesAt = $0.closesAt ?? now + .seconds(2) } }
  }

  /// Whether the request that is under way is the last (``endSoon(now:)``).
  var endsSoon: Bool { state.withLock { $0.closesAt != nil } }

  /// Counts bytes of bodies that have not come whole; fewer with a negative number.
  ///
  /// - Returns: whether they are within `limit`; they are not counted else.
  func keepBody(_ bytes: Int, limit: Int) -> Bool {
    state.withLock {
      guard bytes <= 0 || $0.bodyBytes + bytes <= limit else { return false }
      $0.bodyBytes += bytes
      return true
    }
  }

  /// Anyone who asks too often is let in again after so many seconds, a second at most.
  func pause(_ seconds: Double) { state.withLock { $0.pause = TimeAmount(min(seconds, 1)) } }

  /// How long the next request has to wait; asked for once.
  func takePause() -> TimeAmount {
    state.withLock { state in
      defer { state.pause = .nanoseconds(0) }
      return state.pause
    }
  }

  private static func remove(_ channel: any Channel, from list: inout [Waited]) {
    if let index = list.firstIndex(where: { $0.channel === channel }) { list.remove(at: index) }
  }

  // MARK: What stalls

  /// Channels to close by now: streams whose body does not come or whose answer is not read, or the whole connection.
  func stalled(now: NIODeadline, limits: ServerLimits) -> [any Channel] {
    state.withLock { state in
      if let end = state.closesAt, now >= end { return [channel] }
      if state.phase == .handshake {
        return now - state.idleSince >= TimeAmount(limits.handshakeTimeout) ? [channel] : []
      }
      let (request, answer) = (TimeAmount(limits.requestTimeout), TimeAmount(limits.answerTimeout))
      if let since = state.readingSince, now - since >= request { return [channel] }
      let lateBodies = state.bodies.filter { now - $0.since >= request }
      let late = lateBodies + state.answers.filter { now - $0.since >= answer }
      if !late.isEmpty || state.requests > 0 { return late.map(\.channel) }
      // Anyone who has shown no certificate may not sit and wait as long as a device may.
      let idle = state.fingerprint == nil ? min(limits.requestTimeout, limits.idleTimeout) : limits.idleTimeout
      return now - state.idleSince >= TimeAmount(idle) ? [channel] : []
    }
  }
}

extension TimeAmount {
  /// So many seconds, between none and some thirty years; tests count in fractions.
  init(_ seconds: Double) { self = .nanoseconds(seconds > 0 ? Int64(min(seconds, 1e9) * 1e9) : 0) }
}
