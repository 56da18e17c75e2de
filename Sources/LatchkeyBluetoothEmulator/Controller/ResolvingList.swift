import LatchkeyBluetoothHost

/// The devices whose private addresses a controller resolves, and to which it shows private addresses of its own (Core 6.0
/// Vol 6 Part B 4.7).
struct ResolvingList: Sendable {
  /// How long a private address serves until the host says otherwise (Vol 4 Part E 7.8.45).
  static let standardLifetime = Duration.seconds(900)

  /// One device.
  struct Entry: Sendable {
    let identity: BluetoothAddress
    /// Nil if the peer has no IRK.
    let peerKey: SecurityKey?
    /// Nil if the controller shows this peer no private addresses.
    let localKey: SecurityKey?
    fileprivate let resolver: PairingCryptography.AddressKey?
    var mode = LEPrivacyMode.network
    /// The last private address with which the peer was heard.
    var peerAddress: BluetoothAddress?
    /// The private address that the peer is shown.
    fileprivate(set) var localAddress: BluetoothAddress?
    /// The private address by which directed advertising names the peer.
    fileprivate(set) var targetAddress: BluetoothAddress?

    fileprivate init(_ request: HCILEAddDeviceToResolvingList) {
      identity = request.identity
      peerKey = request.peerResolvingKey.isZero ? nil : request.peerResolvingKey
      localKey = request.localResolvingKey.isZero ? nil : request.localResolvingKey
      resolver = peerKey.map { PairingCryptography.AddressKey($0) }
    }

    fileprivate mutating func drawAddresses(_ random: inout SplitMix64) {
      localAddress = localKey.flatMap { Self.draw($0, &random) }
      targetAddress = peerKey.flatMap { Self.draw($0, &random) }
    }

    private static func draw(_ key: SecurityKey, _ random: inout SplitMix64) -> BluetoothAddress? {
      // One draw in two million is not allowed.
      for _ in 0..<8 {
        let prand = UInt32(truncatingIfNeeded: random.next())
        if let address = PairingCryptography.resolvableAddress(prand: prand, with: key) { return address }
      }
      return nil
    }
  }

  private(set) var entries: [Entry] = []
  /// Whether addresses of peers are resolved.
  var isEnabled = false
  /// How long a private address serves.
  var lifetime = standardLifetime
  /// When the next ones are due; nil before the first use of one.
  var renewal: Duration?

  /// Whether the controller has private addresses of its own.
  var hasLocalAddresses: Bool { entries.contains { $0.localAddress != nil } }

  func index(of identity: BluetoothAddress) -> Int? { entries.firstIndex { $0.identity == identity } }

  /// The entry of an identity; nil if there is none.
  subscript(identity: BluetoothAddress) -> Entry? { index(of: identity).map { entries[$0] } }

  // MARK: Changes

  /// Adds a device, unless it, or its IRK, is there.
  mutating func add(_ request: HCILEAddDeviceToResolvingList, _ random: inout SplitMix64) -> HCIStatus {
    var entry = Entry(request)
    let isKnown = entries.contains { old in
      old.identity == entry.identity || entry.peerKey.map { $0 == old.peerKey } ?? false
    }
    guard !isKnown else { return .invalidParameters }
    entry.drawAddresses(&random)
    entries.append(entry)
    return .success
  }

  /// Removes a device; false if it is not there.
  mutating func remove(_ identity: BluetoothAddress) -> Bool {
    guard let index = index(of: identity) else { return false }
    entries.remove(at: index)
    return true
  }

  mutating func removeAll() { entries = [] }

  /// Sets the privacy mode of a device; false if it is not there.
  mutating func setMode(_ mode: LEPrivacyMode, of identity: BluetoothAddress) -> Bool {
    guard let index = index(of: identity) else { return false }
    entries[index].mode = mode
    return true
  }

  /// Draws all private addresses anew.
  mutating func renew(_ random: inout SplitMix64) {
    for index in entries.indices { entries[index].drawAddresses(&random) }
  }

  /// Notes the private address with which a device was heard.
  mutating func note(_ address: BluetoothAddress, of identity: BluetoothAddress) {
    if let index = index(of: identity) { entries[index].peerAddress = address }
  }

  // MARK: Resolving

  /// A device as the host knows it.
  struct Peer: Sendable, Equatable {
    var address: BluetoothAddress
    /// Whether that is an identity address, in place of the private one on the air.
    var isResolved = false
  }

  /// Who has an address on the air; nil for the identity address of a device that must use private ones (network privacy).
  func peer(at address: BluetoothAddress) -> Peer? {
    guard isEnabled, !entries.isEmpty else { return Peer(address: address) }
    if address.isResolvable {
      let entry = entries.first { $0.resolver?.resolves(address) ?? false }
      return entry.map { Peer(address: $0.identity, isResolved: true) } ?? Peer(address: address)
    }
    if let entry = self[address], entry.peerKey != nil, entry.mode == .network { return nil }
    return Peer(address: address)
  }

  /// Whether a private address names this device to a peer.
  func names(_ target: BluetoothAddress, to identity: BluetoothAddress) -> Bool {
    guard isEnabled, target.isResolvable, let key = self[identity]?.localKey else { return false }
    return PairingCryptography.resolves(target, with: key)
  }
}
