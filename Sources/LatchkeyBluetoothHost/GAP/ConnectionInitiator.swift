/// Decides which pending connections the controller initiates.
///
/// A pending connection never expires. Where the controller has a filter accept list, it holds all pending devices, and
/// one initiation connects to whichever is heard first. If the list is too short, or there is none, devices are
/// initiated in turns. A controller that ignores or refuses its list is used without it from then on.
///
/// Devices are named by the addresses by which clients know them; the host knows those on the air.
struct ConnectionInitiator {
  /// How long some connections are initiated while others, or a scan, wait.
  static let turn = Duration.seconds(4)
  /// How long a scan has the radio to itself, where the controller cannot do both.
  static let pause = Duration.seconds(2)
  /// How long a canceled initiation may take to report its end; some controllers never do.
  static let cancelTimeout = Duration.seconds(2)
  /// How long to wait before an initiation that the controller did not allow is tried again.
  static let retryDelay = Duration.milliseconds(500)
  /// How many times an initiation that failed at once is retried before it is reported.
  static let retryLimit = 3
  /// How many links to devices that no client waits for show that a controller ignores its list.
  static let unexpectedLinkLimit = 2

  /// A command for the controller.
  enum Action: Equatable {
    /// Initiate a connection to the device that is heard first; several are in the filter accept list.
    case create([BluetoothAddress])
    case cancel
  }

  /// Numbers the initiations, so that answers to an earlier one are not mistaken for answers to the current one.
  typealias Attempt = UInt32

  private enum Phase {
    case idle
    /// Waiting to try again until the deadline.
    case waiting(until: Duration)
    case creating([BluetoothAddress], turnEnds: Duration)
    case cancelling([BluetoothAddress], until: Duration)
  }

  private struct Pending {
    var address: BluetoothAddress
    var clients: [ClientID]
    var failures = 0
  }

  private var pending: [Pending] = []
  private var phase = Phase.idle
  /// The last initiation.
  private(set) var attempt: Attempt = 0
  /// Devices whose link is still ending: a controller makes no second link to them meanwhile.
  private var held: [BluetoothAddress] = []
  /// The capacity of the controller's filter accept list; the list is not used below two.
  private(set) var listCapacity = 0
  /// The number of successive failures of initiations by the list.
  private var listFailures = 0
  private var unexpectedLinks = 0
  /// Whether a scan waits for the radio while a connection is initiated.
  private var sharesRadio = false
  private var owesPause = false

  /// An initiator for a controller with that capacity of its filter accept list.
  init(listCapacity: Int = 0) { self.listCapacity = listCapacity }

  /// Whether the controller is, or may be, initiating.
  var isInitiating: Bool {
    switch phase {
    case .creating, .cancelling: true
    case .idle, .waiting: false
    }
  }

  /// Whether a client waits for a connection to `address`.
  func isPending(_ address: BluetoothAddress, for client: ClientID) -> Bool {
    pending.contains { $0.address == address && $0.clients.contains(client) }
  }

  /// When to call `handleTimeout(now:)`.
  var nextDeadline: Duration? {
    switch phase {
    case .idle: nil
    case .waiting(let until), .cancelling(_, let until): until
    case .creating(let group, let turnEnds): sharesRadio || othersWait(than: group) ? turnEnds : nil
    }
  }

  /// Sets whether initiations leave time for a scan.
  mutating func setSharesRadio(_ shares: Bool, now: Duration) {
    guard shares != sharesRadio else { return }
    sharesRadio = shares
    if shares { renewTurn(now: now) } else { owesPause = false }
  }

  /// Adds a client's request for a connection.
  mutating func add(_ client: ClientID, _ address: BluetoothAddress, now: Duration) -> Action? {
    if let index = pending.firstIndex(where: { $0.address == address }) {
      if !pending[index].clients.contains(client) { pending[index].clients.append(client) }
    } else {
      pending.append(Pending(address: address, clients: [client]))
      if case .creating(let group, _) = phase, group.count < listCapacity, !held.contains(address) {
        // Restarted with one more device in the list.
        return cancel(group, now: now)
      }
      // The current initiation had no limit until now.
      renewTurn(now: now)
    }
    return next(now: now)
  }

  /// Removes a client's request.
  mutating func remove(_ client: ClientID, _ address: BluetoothAddress, now: Duration) -> Action? {
    guard let index = pending.firstIndex(where: { $0.address == address }) else { return nil }
    pending[index].clients.removeAll { $0 == client }
    guard pending[index].clients.isEmpty else { return nil }
    pending.remove(at: index)
    guard case .creating(let group, _) = phase, group.contains(address) else { return nil }
    return cancel(group, now: now)
  }

  /// Excludes `address` while its link is ending: a new connection is not possible before that is done.
  mutating func hold(_ address: BluetoothAddress) { held.append(address) }

  /// Readmits an address whose link has ended.
  mutating func letGo(_ address: BluetoothAddress, now: Duration) -> Action? {
    guard let index = held.firstIndex(of: address) else { return nil }
    held.remove(at: index)
    if case .creating(let group, _) = phase, group.count < listCapacity, !group.contains(address),
      !held.contains(address), pending.contains(where: { $0.address == address })
    {
      return cancel(group, now: now)
    }
    return next(now: now)
  }

  /// All devices for which a client waits.
  var addresses: some Sequence<BluetoothAddress> { pending.lazy.map(\.address) }

  /// Starts anew an initiation of a device whose address on the air has changed.
  mutating func renew(_ address: BluetoothAddress, now: Duration) -> Action? {
    guard case .creating(let group, _) = phase, group.contains(address) else { return nil }
    return cancel(group, now: now)
  }

  /// Ends the current initiation, which begins anew when it has ended.
  mutating func interrupt(now: Duration) -> Action? {
    guard case .creating(let group, _) = phase else { return nil }
    return cancel(group, now: now)
  }

  /// Handles a link to `address` that the peer initiated: it satisfies the clients that wait for one.
  mutating func served(_ address: BluetoothAddress, now: Duration) -> (clients: [ClientID], action: Action?) {
    guard let index = pending.firstIndex(where: { $0.address == address }) else { return ([], nil) }
    let clients = pending.remove(at: index).clients
    guard case .creating(let group, _) = phase, group.contains(address) else { return (clients, nil) }
    return (clients, cancel(group, now: now))
  }

  /// All addresses for which a client waits.
  func addresses(of client: ClientID) -> [BluetoothAddress] {
    pending.filter { $0.clients.contains(client) }.map(\.address)
  }

  /// Handles a link to `address` that this host initiated. Returns the clients that wait for it, none if they gave up,
  /// and the number of earlier failures.
  mutating func connected(
    _ address: BluetoothAddress, now: Duration
  ) -> (clients: [ClientID], failures: Int, action: Action?) {
    let found = pending.firstIndex { $0.address == address }.map { pending.remove(at: $0) }
    switch phase {
    case .creating(let group, _) where group.contains(address), .cancelling(let group, _) where group.contains(address):
      phase = .idle
      listFailures = 0
    case .creating(let group, _) where group.count > 1 && found == nil:
      // The controller connected to a device that is not in its list.
      phase = .idle
      unexpectedLinks += 1
      if unexpectedLinks >= Self.unexpectedLinkLimit { listCapacity = 0 }
    // The end of an earlier initiation arrived after its timeout.
    case .idle, .waiting, .creating, .cancelling: break
    }
    return (found?.clients ?? [], found?.failures ?? 0, next(now: now))
  }

  /// Handles a link that failed to be established after it was reported up: it is retried, or given up.
  mutating func failedToEstablish(
    _ address: BluetoothAddress, clients: [ClientID], failures: Int, now: Duration
  ) -> (isGivenUp: Bool, action: Action?) {
    guard failures < Self.retryLimit else { return (true, nil) }
    if let index = pending.firstIndex(where: { $0.address == address }) {
      pending[index].clients += clients.filter { !pending[index].clients.contains($0) }
      pending[index].failures = failures + 1
    } else {
      pending.append(Pending(address: address, clients: clients, failures: failures + 1))
      if case .creating(let group, _) = phase, group.count < listCapacity, !held.contains(address) {
        return (false, cancel(group, now: now))
      }
    }
    return (false, next(now: now))
  }

  /// Handles the end of an initiation without a link. Returns the clients to report it to, with the address.
  mutating func failed(_ status: HCIStatus, now: Duration) -> (
    failure: (address: BluetoothAddress, clients: [ClientID])?, action: Action?
  ) {
    let group: [BluetoothAddress]
    switch phase {
    case .cancelling:
      phase = .idle
      return (nil, next(now: now))
    case .creating(let current, _): group = current
    case .idle, .waiting: return (nil, nil)
    }
    // The end of a canceled initiation arrived late, or this initiation was canceled by it. Only the controller knows
    // which; another cancellation makes it certain.
    if status == .unknownConnectionIdentifier { return (nil, cancel(group, now: now)) }
    if group.count > 1 {
      // The failing device of the list is unknown. After some attempts they are tried one by one.
      listFailures += 1
      if listFailures > Self.retryLimit { listCapacity = 0 }
    } else if let index = pending.firstIndex(where: { $0.address == group.first }) {
      pending[index].failures += 1
      if pending[index].failures > Self.retryLimit {
        let failure = pending.remove(at: index)
        phase = .idle
        return ((failure.address, failure.clients), next(now: now))
      }
    } else {
      phase = .idle
      return (nil, next(now: now))
    }
    // The controller may still be busy with an initiation whose cancellation was lost.
    if status == .commandDisallowed { return (nil, cancel(group, now: now)) }
    phase = .waiting(until: now + Self.retryDelay)
    return (nil, nil)
  }

  /// Retries when the controller refused only because it scanned, which has ended: this is no failure.
  mutating func retry(now: Duration) -> Action? {
    guard case .creating = phase else { return nil }
    phase = .idle
    return next(now: now)
  }

  /// Handles a controller's refusal to add a device to its list.
  mutating func listRefused(now: Duration) -> Action? {
    listCapacity = 0
    guard case .creating(let group, _) = phase, group.count > 1 else { return nil }
    return cancel(group, now: now)
  }

  /// Handles a refused cancellation: no initiation was in progress any more.
  mutating func cancelRefused(now: Duration) {
    guard case .cancelling = phase else { return }
    phase = .waiting(until: now + Self.retryDelay)
  }

  /// Handles the passing of the deadline.
  mutating func handleTimeout(now: Duration) -> Action? {
    switch phase {
    case .waiting(let until) where until <= now, .cancelling(_, let until) where until <= now:
      phase = .idle
      return next(now: now)
    case .creating(let group, let turnEnds) where turnEnds <= now:
      if othersWait(than: group) {
        let (had, others) = (
          pending.filter { group.contains($0.address) }, pending.filter { !group.contains($0.address) }
        )
        pending = others + had
      } else if !sharesRadio {
        return nil
      }
      owesPause = sharesRadio
      return cancel(group, now: now)
    case .idle, .waiting, .creating, .cancelling: return nil
    }
  }

  /// Resets the state when the controller is gone.
  mutating func reset() { self = ConnectionInitiator() }

  private func othersWait(than group: [BluetoothAddress]) -> Bool {
    pending.contains { !group.contains($0.address) && !held.contains($0.address) }
  }

  /// Starts a turn now for an initiation that had no limit.
  private mutating func renewTurn(now: Duration) {
    if case .creating(let group, let turnEnds) = phase, turnEnds < now {
      phase = .creating(group, turnEnds: now + Self.turn)
    }
  }

  private mutating func cancel(_ group: [BluetoothAddress], now: Duration) -> Action {
    phase = .cancelling(group, until: now + Self.cancelTimeout)
    return .cancel
  }

  private mutating func next(now: Duration) -> Action? {
    guard case .idle = phase else { return nil }
    let ready = pending.lazy.filter { [held] in !held.contains($0.address) }.map(\.address)
    let group = Array(ready.prefix(max(1, listCapacity)))
    guard !group.isEmpty else { return nil }
    if owesPause {
      owesPause = false
      phase = .waiting(until: now + Self.pause)
      return nil
    }
    attempt &+= 1
    phase = .creating(group, turnEnds: now + Self.turn)
    return .create(group)
  }
}
