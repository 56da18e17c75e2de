/// The address that a host has on the air: its own one for ever, or a resolvable private one after the other (Core 6.0
/// Vol 3 Part C 10.7, Vol 6 Part B 1.3.2.2).
struct LocalAddress {
  /// How long a private address serves (Vol 3 Part C Appendix A, T_GAP(private_addr_int)).
  static let lifetime = Duration.seconds(900)
  /// How long after a failure the next address is tried.
  static let retryDelay = Duration.seconds(60)

  /// The address that the controller has.
  private(set) var current: BluetoothAddress
  /// The address that the controller was given, until it answers.
  private var offered: BluetoothAddress?
  /// The address that the controller has when it has performed all commands.
  var upcoming: BluetoothAddress { offered ?? current }
  /// When the next address is due; nil if none is, or one is on its way.
  private(set) var deadline: Duration?
  /// Whether an initiation ends so that the address can change.
  var awaitsInitiation = false
  /// The IRK; nil for an address that stays.
  private let resolvingKey: SecurityKey?

  /// The address of a host that is not started.
  init(_ configuration: HostConfiguration) {
    current = configuration.ownAddress
    resolvingKey = configuration.usesPrivateAddresses ? configuration.identity?.resolvingKey : nil
  }

  /// Whether the address is to be changed now.
  func isDue(now: Duration) -> Bool { deadline.map { $0 <= now } ?? false }

  /// The next address for the controller; nil if the address stays. `answered` must follow.
  ///
  /// - Parameter random: as many random bytes as it is asked for. Without them the address stays.
  mutating func next(_ random: (Int) -> [UInt8], now: Duration) -> BluetoothAddress? {
    guard let resolvingKey else { return nil }
    // One draw in two million is not allowed; a source without any in eight is broken.
    for _ in 0..<8 {
      let bytes = random(3)
      guard bytes.count == 3 else { break }
      let prand = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard let address = PairingCryptography.resolvableAddress(prand: prand, with: resolvingKey) else { continue }
      (offered, deadline, awaitsInitiation) = (address, nil, false)
      return address
    }
    (deadline, awaitsInitiation) = (now + Self.retryDelay, false)
    return nil
  }

  /// Handles the controller's answer to the address that it was given.
  mutating func answered(isSet: Bool, now: Duration) {
    guard let offered else { return }
    if isSet { current = offered }
    self.offered = nil
    deadline = now + (isSet ? Self.lifetime : Self.retryDelay)
  }

  /// Resets the state when the controller is gone.
  mutating func reset() { (offered, deadline, awaitsInitiation) = (nil, nil, false) }
}
