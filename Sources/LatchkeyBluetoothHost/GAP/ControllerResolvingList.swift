/// The resolving list of the controller: the bonded peers whose private addresses it resolves itself, so that a connection
/// to them can wait without a scan (Core 6.0 Vol 6 Part B 4.7).
///
/// Where there are more bonds with an IRK than it holds, it has those that were used last; the host resolves the addresses of
/// the others. A controller that refuses a change, or does not do what it answers, resolves nothing from then on.
struct ControllerResolvingList {
  /// How long after a change the controller may still report what it received before.
  static let settlingTime = Duration.seconds(1)

  /// How long the change after a pairing waits, so that it delays neither the peer nor the requests that waited for it.
  static let delay = Duration.milliseconds(500)

  /// A command for the controller.
  enum Change: Equatable {
    case remove(BluetoothAddress)
    /// Adds a peer, which may also use its identity address.
    case add(BluetoothAddress, SecurityKey)
    case enable(Bool)
  }

  /// How many peers it holds; 0 where the host resolves all addresses.
  private(set) var capacity = 0
  /// The IRKs in the list, by identity, when the controller has performed all commands.
  private var keys: [BluetoothAddress: SecurityKey] = [:]
  /// Whether addresses are resolved when it has.
  private(set) var isEnabled = false
  /// Whether the bonds, or their use, have changed since the last update.
  private(set) var isStale = false
  /// When the changes are to be commanded, if they wait.
  private(set) var nextDeadline: Duration?
  /// Whether an initiation ends so that the list can change.
  var awaitsInitiation = false
  /// Whether the controller was found not to do what it should.
  private(set) var isGivenUp = false
  /// From when on the controller must have resolved what it reports; nil while commands are under way.
  private var settledAt: Duration?
  /// When peers were used, by identity, as consecutive numbers.
  private var uses: [BluetoothAddress: UInt64] = [:]
  private var lastUse: UInt64 = 0

  /// Of how many peers it is known when they were used.
  var useCount: Int { uses.count }

  /// Whether the controller resolves addresses, or may still do so.
  var isInUse: Bool { isEnabled || isGivenUp }

  /// Whether the controller resolves the addresses of a peer, when it has performed all commands.
  func contains(_ identity: BluetoothAddress) -> Bool { keys[identity] != nil }

  // MARK: What changes

  /// Takes the capacity from the controller, whose list is empty.
  mutating func configure(capacity: Int) {
    reset()
    self.capacity = capacity
    bondsChanged()
  }

  /// Handles that there are other bonds than before.
  mutating func bondsChanged() {
    guard capacity > 0 else { return }
    isStale = true
    nextDeadline = nil
  }

  /// Delays changes that were not commanded yet.
  mutating func wait(now: Duration) { if isStale, capacity > 0 { nextDeadline = now + Self.delay } }

  /// Whether changes are to be commanded now.
  mutating func isDue(now: Duration) -> Bool {
    if let nextDeadline, now < nextDeadline { return false }
    nextDeadline = nil
    return true
  }

  /// Handles that a client wants a link to a peer, or has one.
  mutating func use(_ identity: BluetoothAddress) {
    // Without a list nothing would forget the uses of peers whose bonds are gone.
    guard capacity > 0 else { return }
    lastUse += 1
    uses[identity] = lastUse
    if !contains(identity) { bondsChanged() }
  }

  /// Resets the state when the controller is gone. What was used last is still known.
  mutating func reset() {
    let (uses, lastUse) = (uses, lastUse)
    self = ControllerResolvingList()
    (self.uses, self.lastUse) = (uses, lastUse)
  }

  // MARK: Commands

  /// What to command so that the list is as it should be, without the effect of `update`.
  func changes(for peers: [(identity: BluetoothAddress, key: SecurityKey)]) -> [Change] {
    guard capacity > 0 else { return isEnabled ? [.enable(false)] : [] }
    let wanted = chosen(of: peers)
    let isKept = { (identity: BluetoothAddress, key: SecurityKey) in
      wanted.contains { $0.identity == identity && $0.key == key }
    }
    var changes = keys.filter { !isKept($0.key, $0.value) }.keys.sorted { $0.value < $1.value }.map {
      Change.remove($0)
    }
    changes += wanted.filter { keys[$0.identity] != $0.key }.map { .add($0.identity, $0.key) }
    if !isEnabled, !wanted.isEmpty { changes.append(.enable(true)) }
    return changes
  }

  /// Brings the list to the state that it should have. Returns what to command while the controller neither advertises nor
  /// scans nor initiates.
  mutating func update(for peers: [(identity: BluetoothAddress, key: SecurityKey)]) -> [Change] {
    (isStale, awaitsInitiation, nextDeadline) = (false, false, nil)
    uses = uses.filter { use in peers.contains { $0.identity == use.key } }
    let changes = changes(for: peers)
    for change in changes {
      settledAt = nil
      switch change {
      case .remove(let identity): keys[identity] = nil
      case .add(let identity, let key): keys[identity] = key
      case .enable(let isOn): isEnabled = isOn
      }
    }
    return changes
  }

  /// The peers that the list is to have. A key names one peer alone, and an entry needs an identity address.
  private func chosen(
    of peers: [(identity: BluetoothAddress, key: SecurityKey)]
  ) -> [(identity: BluetoothAddress, key: SecurityKey)] {
    var fit: [(identity: BluetoothAddress, key: SecurityKey)] = []
    for peer in peers.sorted(by: precedes) where fit.count < capacity {
      guard peer.identity.isIdentity, !peer.key.isZero, !fit.contains(where: { $0.key == peer.key }) else { continue }
      fit.append(peer)
    }
    return fit
  }

  /// The one used later comes first; of those not used so far, one that is in the list.
  private func precedes(
    _ a: (identity: BluetoothAddress, key: SecurityKey), _ b: (identity: BluetoothAddress, key: SecurityKey)
  ) -> Bool {
    let (left, right) = (uses[a.identity] ?? 0, uses[b.identity] ?? 0)
    if left != right { return left > right }
    if contains(a.identity) != contains(b.identity) { return contains(a.identity) }
    return a.identity.value < b.identity.value
  }

  // MARK: Answers

  /// Handles that the controller has performed a command.
  mutating func performed(now: Duration) { settledAt = now + Self.settlingTime }

  /// Handles that the controller holds fewer peers than it says. Returns whether it holds any.
  mutating func overflowed(by identity: BluetoothAddress) -> Bool {
    keys[identity] = nil
    capacity = keys.count
    (isStale, nextDeadline) = (true, nil)
    return capacity > 0
  }

  /// Handles that the controller refuses a command, or does not resolve: the host resolves all addresses from now on.
  mutating func giveUp() {
    (capacity, keys, isGivenUp, settledAt) = (0, [:], true, nil)
    (isStale, nextDeadline) = (isEnabled, nil)
  }

  /// Whether the controller should have resolved an address that a peer has now.
  func shouldHaveResolved(_ identity: BluetoothAddress, now: Duration) -> Bool {
    guard contains(identity), let settledAt else { return false }
    return settledAt <= now
  }
}

extension BluetoothAddress {
  /// Whether it can be an identity address: public or static random.
  fileprivate var isIdentity: Bool { kind == .public || value >> 46 == 0b11 }
}
