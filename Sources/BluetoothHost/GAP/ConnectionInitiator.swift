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

  /// One initiation, so that answers to an earlier one are not taken for its own.
  typealias Attempt = UInt32

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
  /// The initiation that was begun last.
  private(set) var attempt: Attempt = 0
  /// Devices to which a link is still being ended: a controller makes no second one to them meanwhile.
  private var held: [BluetoothAddress] = []

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
    return cancel(address, now: now)
  }

  /// A link to `address` is being ended: nobody can connect to it before that is done.
  mutating func hold(_ address: BluetoothAddress) { held.append(address) }

  /// A link that was being ended is gone.
  mutating func letGo(_ address: BluetoothAddress, now: Duration) -> Action? {
    guard let index = held.firstIndex(of: address) else { return nil }
    held.remove(at: index)
    return next(now: now)
  }

  /// A link to `address` is up that the peer initiated: who waits for one has it.
  mutating func served(_ address: BluetoothAddress, now: Duration) -> (clients: [ClientID], action: Action?) {
    guard let index = pending.firstIndex(where: { $0.address == address }) else { return ([], nil) }
    let clients = pending.remove(at: index).clients
    guard case .creating(address, _) = phase else { return (clients, nil) }
    return (clients, cancel(address, now: now))
  }

  /// All addresses for which a client waits.
  func addresses(of client: ClientID) -> [BluetoothAddress] {
    pending.filter { $0.clients.contains(client) }.map(\.address)
  }

  /// A link to `address` is up, initiated by us: the clients that wait for it, none if they gave up meanwhile, and how
  /// often it failed before.
  mutating func connected(
    _ address: BluetoothAddress, now: Duration
  ) -> (clients: [ClientID], failures: Int, action: Action?) {
    switch phase {
    case .creating(address, _), .cancelling(address, _): phase = .idle
    // The end of an earlier initiation, later than the controller was waited for.
    case .idle, .waiting, .creating, .cancelling: break
    }
    guard let index = pending.firstIndex(where: { $0.address == address }) else { return ([], 0, next(now: now)) }
    let found = pending.remove(at: index)
    return (found.clients, found.failures, next(now: now))
  }

  /// A link failed to be established after it was told of: it is tried again, or given up.
  mutating func failedToEstablish(
    _ address: BluetoothAddress, clients: [ClientID], failures: Int, now: Duration
  ) -> (isGivenUp: Bool, action: Action?) {
    guard failures < Self.retryLimit else { return (true, nil) }
    if let index = pending.firstIndex(where: { $0.address == address }) {
      pending[index].clients += clients.filter { !pending[index].clients.contains($0) }
      pending[index].failures = failures + 1
    } else {
      pending.append(Pending(address: address, clients: clients, failures: failures + 1))
    }
    return (false, next(now: now))
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
    // The end of a cancelled initiation came later than it was waited for, or this one was cancelled by it: only the
    // controller knows, and another cancellation makes it certain.
    if status == .unknownConnectionIdentifier { return (nil, cancel(address, now: now)) }
    guard let index = pending.firstIndex(where: { $0.address == address }) else {
      phase = .idle
      return (nil, next(now: now))
    }
    pending[index].failures += 1
    guard pending[index].failures > Self.retryLimit else {
      // It may still be busy with an initiation whose cancellation got lost.
      if status == .commandDisallowed { return (nil, cancel(address, now: now)) }
      phase = .waiting(until: now + Self.retryDelay)
      return (nil, nil)
    }
    let failure = pending.remove(at: index)
    phase = .idle
    return ((address, failure.clients), next(now: now))
  }

  /// The controller did not cancel: nothing was being initiated any more.
  mutating func cancelRefused(now: Duration) {
    guard case .cancelling = phase else { return }
    phase = .waiting(until: now + Self.retryDelay)
  }

  /// A deadline passed.
  mutating func handleTimeout(now: Duration) -> Action? {
    switch phase {
    case .waiting(let until) where until <= now, .cancelling(_, let until) where until <= now:
      phase = .idle
      return next(now: now)
    case .creating(let address, let turnEnds) where turnEnds <= now && pending.count > 1:
      if let index = pending.firstIndex(where: { $0.address == address }) { pending.append(pending.remove(at: index)) }
      return cancel(address, now: now)
    case .idle, .waiting, .creating, .cancelling: return nil
    }
  }

  /// The controller is gone.
  mutating func reset() { self = ConnectionInitiator() }

  private mutating func cancel(_ address: BluetoothAddress, now: Duration) -> Action {
    phase = .cancelling(address, until: now + Self.cancelTimeout)
    return .cancel
  }

  private mutating func next(now: Duration) -> Action? {
    guard case .idle = phase, let first = pending.first(where: { !held.contains($0.address) }) else { return nil }
    attempt &+= 1
    phase = .creating(first.address, turnEnds: now + Self.turn)
    return .create(first.address)
  }
}
