/// Decides which pending connection the controller is initiating.
///
/// A controller initiates one connection at a time, and a pending connection never expires: while several wait, each
/// gets its turn. The filter accept list would let one command wait for all, but not every controller applies it.
struct ConnectionInitiator {
  /// How long one connection is initiated while others wait.
  static let turn = Duration.seconds(4)
  /// How long a cancelled initiation may take to report its end; some controllers never do.
  static let cancelTimeout = Duration.seconds(2)
  /// How long to wait before an initiation that the controller did not allow is tried again.
  static let retryDelay = Duration.milliseconds(500)
  /// How often an initiation that failed at once is tried again before the clients hear of it.
  static let retryLimit = 3

  /// What the controller is to do.
  enum Action: Equatable {
    case create(BluetoothAddress)
    case cancel
  }

  private enum Phase {
    case idle
    /// Waiting to try again until the deadline.
    case waiting(until: Duration)
    case creating(BluetoothAddress, turnEnds: Duration)
    case cancelling(BluetoothAddress, until: Duration)
  }

  private struct Pending {
    var address: BluetoothAddress
    var clients: [ClientID]
    var failures = 0
  }

  private var pending: [Pending] = []
  private var phase = Phase.idle

  /// Whether a client waits for a connection to `address`.
  func isPending(_ address: BluetoothAddress, for client: ClientID) -> Bool {
    pending.contains { $0.address == address && $0.clients.contains(client) }
  }

  /// When `handleTimeout(now:)` wants to be called.
  var nextDeadline: Duration? {
    switch phase {
    case .idle: nil
    case .waiting(let until), .cancelling(_, let until): until
    case .creating(_, let turnEnds): pending.count > 1 ? turnEnds : nil
    }
  }

  /// A client wants a connection.
  mutating func add(_ client: ClientID, _ address: BluetoothAddress, now: Duration) -> Action? {
    if let index = pending.firstIndex(where: { $0.address == address }) {
      if !pending[index].clients.contains(client) { pending[index].clients.append(client) }
    } else {
      pending.append(Pending(address: address, clients: [client]))
      // The one under way had its turn alone until now.
      if case .creating(let current, let turnEnds) = phase, turnEnds < now {
        phase = .creating(current, turnEnds: now + Self.turn)
      }
    }
    return next(now: now)
  }

  /// A client no longer wants it.
  mutating func remove(_ client: ClientID, _ address: BluetoothAddress, now: Duration) -> Action? {
    guard let index = pending.firstIndex(where: { $0.address == address }) else { return nil }
    pending[index].clients.removeAll { $0 == client }
    guard pending[index].clients.isEmpty else { return nil }
    pending.remove(at: index)
    guard case .creating(address, _) = phase else { return nil }
    phase = .cancelling(address, until: now + Self.cancelTimeout)
    return .cancel
  }

  /// All addresses for which a client waits.
  func addresses(of client: ClientID) -> [BluetoothAddress] {
    pending.filter { $0.clients.contains(client) }.map(\.address)
  }

  /// A link to `address` is up, initiated by us: the clients that wait for it; none if they gave up meanwhile.
  mutating func connected(_ address: BluetoothAddress, now: Duration) -> (clients: [ClientID], action: Action?) {
    phase = .idle
    let clients = pending.first { $0.address == address }?.clients ?? []
    pending.removeAll { $0.address == address }
    return (clients, next(now: now))
  }

  /// The initiation ended without a link: the clients to whom it is reported, and where.
  mutating func failed(_ status: HCIStatus, now: Duration) -> (
    failure: (address: BluetoothAddress, clients: [ClientID])?, action: Action?
  ) {
    let address: BluetoothAddress
    switch phase {
    case .cancelling:
      phase = .idle
      return (nil, next(now: now))
    case .creating(let current, _): address = current
    case .idle, .waiting: return (nil, nil)
    }
    guard let index = pending.firstIndex(where: { $0.address == address }) else {
      phase = .idle
      return (nil, next(now: now))
    }
    pending[index].failures += 1
    guard pending[index].failures > Self.retryLimit else {
      phase = .waiting(until: now + Self.retryDelay)
      return (nil, nil)
    }
    let failure = pending.remove(at: index)
    phase = .idle
    return ((address, failure.clients), next(now: now))
  }

  /// A deadline passed.
  mutating func handleTimeout(now: Duration) -> Action? {
    switch phase {
    case .waiting(let until) where until <= now, .cancelling(_, let until) where until <= now:
      phase = .idle
      return next(now: now)
    case .creating(let address, let turnEnds) where turnEnds <= now && pending.count > 1:
      if let index = pending.firstIndex(where: { $0.address == address }) { pending.append(pending.remove(at: index)) }
      phase = .cancelling(address, until: now + Self.cancelTimeout)
      return .cancel
    case .idle, .waiting, .creating, .cancelling: return nil
    }
  }

  /// The controller is gone.
  mutating func reset() { self = ConnectionInitiator() }

  private mutating func next(now: Duration) -> Action? {
    guard case .idle = phase, let first = pending.first else { return nil }
    phase = .creating(first.address, turnEnds: now + Self.turn)
    return .create(first.address)
  }
}
