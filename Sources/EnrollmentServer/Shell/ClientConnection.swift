package import EnrollmentStore
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
  let channel: any Channel
  private let state: Mutex<State>

  private struct State {
    var phase = Phase.handshake
    var fingerprint: Fingerprint?
    var isMultiplexed = false
    /// When the handshake began or ended, or the last request ended.
    var idleSince: NIODeadline
    /// When the first byte of a request came whose last one has not; only without multiplexing.
    var readingSince: NIODeadline?
    var requests = 0
    /// Requests whose body has not come yet, each on its channel (a stream, with multiplexing).
    var bodies: [(channel: any Channel, since: NIODeadline)] = []
    var closesAt: NIODeadline?
  }

  private enum Phase { case handshake, open }

  init(channel: any Channel, now: NIODeadline) {
    self.channel = channel
    address = channel.remoteAddress?.ipAddress ?? ""
    state = Mutex(State(idleSince: now))
  }

  /// SHA-256 of the certificate that the peer showed in the handshake; nil if it showed none.
  ///
  /// A resumed session keeps the certificate of its first handshake, unverified since: what it is worth now is asked for
  /// every request (`DeviceDirectory`).
  package var fingerprint: Fingerprint? { state.withLock { $0.fingerprint } }

  var isInHandshake: Bool { state.withLock { $0.phase == .handshake } }
  var hasRequests: Bool { state.withLock { $0.requests > 0 } }

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

  /// A request's head came; its body, if one follows, is awaited.
  func began(bodyOn channel: (any Channel)?, now: @autoclosure () -> NIODeadline) {
    state.withLock {
      $0.requests += 1
      if let channel {
        let now = now()
        $0.bodies.append((channel, $0.readingSince ?? now))
      }
      $0.readingSince = nil
    }
  }

  /// A request's body is there.
  func bodyEnded(on channel: any Channel) {
    state.withLock { state in
      if let index = state.bodies.firstIndex(where: { $0.channel === channel }) { state.bodies.remove(at: index) }
    }
  }

  /// A request was answered.
  func ended(now: NIODeadline) {
    state.withLock {
      $0.requests -= 1
      $0.idleSince = now
    }
  }

  /// The rest of what comes is not wanted: the connection ends soon, once its peer could read the answer.
  func endSoon(now: NIODeadline) {
    state.withLock { $0.closesAt = $0.closesAt ?? now + .seconds(2) }
  }

  // MARK: What stalls

  /// Channels to close by now: streams whose body does not come, or the whole connection.
  func stalled(now: NIODeadline, limits: ServerLimits) -> [any Channel] {
    state.withLock { state in
      if let end = state.closesAt, now >= end { return [channel] }
      if state.phase == .handshake {
        return now - state.idleSince >= TimeAmount(limits.handshakeTimeout) ? [channel] : []
      }
      let request = TimeAmount(limits.requestTimeout)
      if let since = state.readingSince, now - since >= request { return [channel] }
      let late = state.bodies.filter { now - $0.since >= request }.map(\.channel)
      if !late.isEmpty || state.requests > 0 { return late }
      // Whoever has shown no certificate may not sit and wait as long as a device may.
      let idle = state.fingerprint == nil ? min(limits.requestTimeout, limits.idleTimeout) : limits.idleTimeout
      return now - state.idleSince >= TimeAmount(idle) ? [channel] : []
    }
  }
}

extension TimeAmount {
  /// So many seconds, between none and some thirty years; tests count in fractions.
  init(_ seconds: Double) { self = .nanoseconds(seconds > 0 ? Int64(min(seconds, 1e9) * 1e9) : 0) }
}
