package import LatchkeyEnrollmentStore
internal import NIOCore
internal import Synchronization

/// The state of a request's connection: its client certificate, and whether it stalls.
///
/// One per connection, created when it is accepted. The handshake's end, the starts and ends of requests, and the sweep
/// (`ConnectionTable`) update it on different threads.
package final class ClientConnection: Sendable {
  /// The connection of the current task's request; nil outside of one.
  @TaskLocal package static var current: ClientConnection?

  /// The client's address without a port, which a proxy may have named; empty if there is none.
  package var address: String { origin.withLock { $0.address } }
  /// The peer of this address.
  var peer: PeerAddress { origin.withLock { $0.peer } }
  /// Whether it counts for its peer.
  var isCounted: Bool { origin.withLock { $0.isCounted } }
  /// Whether the client named the tenant in its handshake, of several on one port.
  var namesTenant: Bool { origin.withLock { $0.namesTenant } }
  /// Whether the table of a tenant ends it, and no longer the port's.
  var isAdopted: Bool { origin.withLock { $0.isAdopted } }
  let channel: any Channel
  private let state: Mutex<State>
  private let origin: Mutex<Origin>

  private struct Origin {
    var address: String
    var peer: PeerAddress
    var isCounted = false
    var namesTenant = false
    var isAdopted = false
  }

  private struct State {
    var phase = Phase.handshake
    var fingerprint: Fingerprint?
    var certificateEnd: Int64?
    var isMultiplexed = false
    /// When the handshake began or ended, or the last request ended.
    var idleSince: NIODeadline
    /// When the first byte of a request with an incomplete head arrived; only without multiplexing.
    var readingSince: NIODeadline?
    /// The number of requests whose response has not been sent.
    var requests = 0
    /// Whether a request ever arrived.
    var hasAsked = false
    /// The requests with an incomplete body, each on its channel (a stream, with multiplexing), answered or not.
    var bodies: [Waited] = []
    /// The bytes held of such bodies (`UnfinishedBodies`).
    var bodyBytes = 0
    /// The responses that are being sent.
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
    let address = channel.remoteAddress?.ipAddress ?? ""
    origin = Mutex(Origin(address: address, peer: PeerAddress(address)))
    state = Mutex(State(idleSince: now))
  }

  /// SHA-256 of the certificate that the peer presented in the handshake; nil without one.
  ///
  /// A resumed session has the certificate of its first handshake, without renewed verification: every request checks its
  /// current validity (`DeviceDirectory`).
  package var fingerprint: Fingerprint? { state.withLock { $0.fingerprint } }

  /// The end of that certificate's validity, in seconds since 1970; nil without one.
  var certificateEnd: Int64? { state.withLock { $0.certificateEnd } }

  var isInHandshake: Bool { state.withLock { $0.phase == .handshake } }
  /// The number of requests whose head was parsed, and whose response has not been sent.
  var requestsUnderWay: Int { state.withLock { $0.requests } }
  var hasRequests: Bool { requestsUnderWay > 0 }
  /// Whether a request ever arrived.
  var hasAsked: Bool { state.withLock { $0.hasAsked } }

  // MARK: What happens

  /// Records the client's address, before the first byte of TLS.
  func identify(as address: String) {
    origin.withLock { ($0.address, $0.peer) = (address, PeerAddress(address)) }
  }

  /// Records that it counts for its peer.
  func count() { origin.withLock { $0.isCounted = true } }

  /// Records that the client has named the tenant.
  func nameTenant() { origin.withLock { $0.namesTenant = true } }

  /// Records that the table of a tenant ends it from now on.
  func adopted() { origin.withLock { $0.isAdopted = true } }

  /// Records the end of the handshake.
  func opened(fingerprint: Fingerprint?, certificateEnd: Int64? = nil, isMultiplexed: Bool, now: NIODeadline) {
    state.withLock {
      $0.phase = .open
      $0.fingerprint = fingerprint
      $0.certificateEnd = certificateEnd
      $0.isMultiplexed = isMultiplexed
      $0.idleSince = now
    }
  }

  /// Records that bytes arrived.
  func received(now: @autoclosure () -> NIODeadline) {
    state.withLock {
      guard !$0.isMultiplexed, $0.requests == 0, $0.readingSince == nil else { return }
      $0.readingSince = now()
    }
  }

  /// Records a request's head, and waits for the end of its body.
  func arrived(on channel: any Channel, now: NIODeadline) {
    state.withLock {
      $0.requests += 1
      $0.hasAsked = true
      $0.bodies.append(Waited(channel: channel, since: $0.readingSince ?? now))
      $0.readingSince = nil
    }
  }

  /// Records that a request's body is complete.
  func bodyEnded(on channel: any Channel) {
    state.withLock { Self.remove(channel, from: &$0.bodies) }
  }

  /// Records the start of a response.
  func answering(on channel: any Channel, now: NIODeadline) {
    state.withLock { $0.answers.append(Waited(channel: channel, since: now)) }
  }

  /// Records that a response was sent, or its channel closed.
  func departed(on channel: any Channel, now: NIODeadline) {
    state.withLock {
      $0.requests -= 1
      $0.idleSince = now
      Self.remove(channel, from: &$0.answers)
    }
  }

  /// Records that a request was answered within its parsing (`DirectAnswers`).
  func answeredDirectly(now: NIODeadline) {
    state.withLock {
      $0.readingSince = nil
      $0.idleSince = now
      $0.hasAsked = true
    }
  }

  /// Records that such a response was not accepted at once; it ends by ``departed(on:now:)``.
  func answeringDirectly(on channel: any Channel, now: NIODeadline) {
    state.withLock {
      $0.readingSince = nil
      $0.requests += 1
      $0.hasAsked = true
      $0.answers.append(Waited(channel: channel, since: now))
    }
  }

  /// Records that a channel closed, and stops waiting for it.
  func left(_ channel: any Channel) {
    state.withLock { Self.remove(channel, from: &$0.bodies) }
  }

  /// Schedules the connection's end, because the rest of the input is not wanted: it closes after its peer could read the
  /// response, and starts no further request. One of many streams is instead reset after its response (`RequestArrivals`).
  func endSoon(now: NIODeadline) {
    state.withLock { if !$0.isMultiplexed { $0.closesAt = $0.closesAt ?? now + .seconds(2) } }
  }

  /// Whether the request in progress is the last (``endSoon(now:)``).
  var endsSoon: Bool { state.withLock { $0.closesAt != nil } }

  /// Changes the count of bytes of incomplete bodies; a negative number decreases it.
  ///
  /// - Returns: whether the count is within `limit`; otherwise it does not change.
  func keepBody(_ bytes: Int, limit: Int) -> Bool {
    state.withLock {
      guard bytes <= 0 || $0.bodyBytes + bytes <= limit else { return false }
      $0.bodyBytes += bytes
      return true
    }
  }

  /// Delays the next request after a rate limit, by a second at most.
  func pause(_ seconds: Double) { state.withLock { $0.pause = TimeAmount(min(seconds, 1)) } }

  /// Returns the delay of the next request, and resets it.
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

  /// The channels to close now: streams whose body does not arrive or whose response is not read, or the whole connection.
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
      // A connection without a certificate has a shorter idle limit than a device's.
      let idle = state.fingerprint == nil ? min(limits.requestTimeout, limits.idleTimeout) : limits.idleTimeout
      return now - state.idleSince >= TimeAmount(idle) ? [channel] : []
    }
  }
}

extension TimeAmount {
  /// Converts seconds, clamped between zero and some thirty years; tests use fractions.
  init(_ seconds: Double) { self = .nanoseconds(seconds > 0 ? Int64(min(seconds, 1e9) * 1e9) : 0) }
}
