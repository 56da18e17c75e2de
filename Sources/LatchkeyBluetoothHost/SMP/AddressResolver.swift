/// Resolves private addresses of peers that distributed an IRK (Core 6.0 Vol 6 Part B 1.3.2.3).
///
/// A device in the street costs one computation a key, once: answers are remembered, those about strangers as well. Who
/// shows new addresses without end costs no more than a limit.
struct AddressResolver {
  /// The most addresses that are remembered; the one seen first is dropped first.
  static let capacity = 1024
  /// The most computations of `ah` in a second that advertisers can cause.
  static let computationsPerSecond = 50_000

  /// What is known of an address.
  enum Answer: Equatable {
    /// The IRK of the peer with this identity made it.
    case identity(BluetoothAddress)
    /// It is no private address of a peer with an IRK.
    case stranger
    /// It cannot be resolved before the next second.
    case tooMany
  }

  private var keys: [(identity: BluetoothAddress, key: PairingCryptography.AddressKey)] = []
  /// Answers by address; nil for strangers.
  private var answers: [BluetoothAddress: BluetoothAddress?] = [:]
  /// The remembered addresses, in a ring: the oldest is at `oldest` once it is full.
  private var order: [BluetoothAddress] = []
  private var oldest = 0
  private var secondBegan = Duration.zero
  private var computationsInSecond = 0
  /// All computations so far.
  private(set) var computations = 0

  /// How many addresses are remembered.
  var count: Int { answers.count }

  /// Sets the IRK of a peer, or removes it. Answers given before are forgotten.
  mutating func setKey(_ key: SecurityKey?, of identity: BluetoothAddress) {
    keys.removeAll { $0.identity == identity }
    if let key { keys.append((identity, PairingCryptography.AddressKey(key))) }
    (answers, order, oldest) = ([:], [], 0)
  }

  /// Whose address it is. `now` bounds the effort; nil for an address that has to be resolved, as that of a link.
  mutating func resolve(_ address: BluetoothAddress, now: Duration?) -> Answer {
    guard !keys.isEmpty, address.isResolvable else { return .stranger }
    if let answer = answers[address] { return answer.map { .identity($0) } ?? .stranger }
    if let now, !spend(now: now) { return .tooMany }
    computations += keys.count
    let identity = keys.first { $0.key.resolves(address) }?.identity
    remember(address, identity)
    return identity.map { .identity($0) } ?? .stranger
  }

  /// Counts the computations for one address; false if there were too many in this second.
  private mutating func spend(now: Duration) -> Bool {
    if now - secondBegan >= .seconds(1) { (secondBegan, computationsInSecond) = (now, 0) }
    guard computationsInSecond + keys.count <= Self.computationsPerSecond else { return false }
    computationsInSecond += keys.count
    return true
  }

  private mutating func remember(_ address: BluetoothAddress, _ identity: BluetoothAddress?) {
    answers[address] = .some(identity)
    guard order.count == Self.capacity else { return order.append(address) }
    answers[order[oldest]] = nil
    order[oldest] = address
    oldest = (oldest + 1) % Self.capacity
  }
}
