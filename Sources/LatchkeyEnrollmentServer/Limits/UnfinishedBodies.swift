internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import Metrics
internal import NIOCore
internal import Synchronization

/// Limits the memory of incomplete request bodies, per connection and per peer: with HTTP/2 a peer can begin a hundred on each
/// of its connections, and finish none.
final class UnfinishedBodies: Sendable {
  /// The sender: a device by its certificate, valid or not, or an address without one.
  fileprivate enum Peer: Hashable {
    case certificate(Fingerprint)
    case address(PeerAddress)

    init(_ connection: ClientConnection) {
      self = connection.fingerprint.map { .certificate($0) } ?? .address(connection.peer)
    }
  }

  /// The minimum charge of a body: its task and buffers exist from its first byte on.
  fileprivate static let least = 4096

  private let limits: ServerLimits
  private let metrics: ServerMetrics
  /// The bytes held per peer.
  private let bytes = Mutex<[Peer: Int]>([:])

  init(_ limits: ServerLimits, metrics: ServerMetrics) {
    self.limits = limits
    self.metrics = metrics
  }

  /// Begins a body, which ends by ``UnfinishedBody/end()``.
  ///
  /// - Throws: `.tooManyRequests` if too much is held already.
  func begin(on connection: ClientConnection) throws(TryLater) -> UnfinishedBody {
    let body = UnfinishedBody(of: self, on: connection)
    try body.grow(to: 0)
    return body
  }

  fileprivate func take(_ count: Int, of peer: Peer, on connection: ClientConnection) throws(TryLater) {
    guard connection.keepBody(count, limit: limits.unfinishedBodiesPerConnection) else { throw Self.tooMuch }
    let isWithin = bytes.withLock { bytes in
      let all = bytes[peer, default: 0] + count
      guard all <= limits.unfinishedBodiesPerPeer else { return false }
      bytes[peer] = all
      return true
    }
    guard isWithin else {
      _ = connection.keepBody(-count, limit: 0)
      throw Self.tooMuch
    }
    metrics.unfinishedBodyBytes.increment(by: Double(count))
  }

  fileprivate func give(_ count: Int, of peer: Peer, on connection: ClientConnection) {
    _ = connection.keepBody(-count, limit: 0)
    bytes.withLock { bytes in
      let left = bytes[peer, default: 0] - count
      bytes[peer] = left > 0 ? left : nil
    }
    metrics.unfinishedBodyBytes.decrement(by: Double(count))
  }

  private static let tooMuch = TryLater(
    .tooManyRequests, seconds: 1, detail: "end the bodies that you have begun before you begin others")
}

/// One body, from its request's head to its last byte.
final class UnfinishedBody: Sendable {
  private let bodies: UnfinishedBodies
  private let connection: ClientConnection
  private let peer: UnfinishedBodies.Peer
  private let taken = Mutex(0)

  fileprivate init(of bodies: UnfinishedBodies, on connection: ClientConnection) {
    self.bodies = bodies
    self.connection = connection
    peer = UnfinishedBodies.Peer(connection)
  }

  /// Charges this many bytes from now on.
  ///
  /// - Throws: `.tooManyRequests` if that is too much.
  func grow(to count: Int) throws(TryLater) {
    let wanted = max(count, UnfinishedBodies.least)
    let more = taken.withLock { max(0, wanted - $0) }
    guard more > 0 else { return }
    try bodies.take(more, of: peer, on: connection)
    taken.withLock { $0 += more }
  }

  /// Releases the charge of a complete or abandoned body.
  func end() {
    let count = taken.withLock { taken in
      defer { taken = 0 }
      return taken
    }
    if count > 0 { bodies.give(count, of: peer, on: connection) }
  }
}
