/// The bonds of a host, by the peers' identity addresses, and the addresses that bonded peers have.
///
/// Clients know a peer by one address (`Bond.knownAddress`), whichever address it has on the air. One that knew it by its
/// identity before it paired under another address may name it so, too.
struct BondTable {
  /// The most bonds. A peer that pairs under one address after the other displaces none of them.
  static let capacity = 256

  /// What became of a new bond.
  enum Insertion: Equatable {
    /// It is there. If the peer had another identity before, its bond with that one is gone.
    case stored(replaced: BluetoothAddress?)
    /// A stronger bond with the same peer stays: a peer without its key claims to be it.
    case weaker
    case full
  }

  private var bonds: [BluetoothAddress: Bond] = [:]
  /// The peers' identities, by the addresses by which clients know them.
  private var identities: [BluetoothAddress: BluetoothAddress] = [:]
  /// The addresses that peers had last, by the addresses by which clients know them.
  private var lastAddresses: [BluetoothAddress: BluetoothAddress] = [:]
  /// Peers that the controller has recognized under private addresses, by the addresses by which clients know them.
  private var resolvedPeers: Set<BluetoothAddress> = []
  private(set) var resolver = AddressResolver()

  var isEmpty: Bool { bonds.isEmpty }

  /// The bond with an identity.
  subscript(identity: BluetoothAddress) -> Bond? { bonds.isEmpty ? nil : bonds[identity] }

  /// The bond with the peer that clients know by an address, or that has it as its identity.
  func bond(of peer: BluetoothAddress) -> Bond? { bond(knownAs: peer) ?? bonds[peer] }

  private func bond(knownAs peer: BluetoothAddress) -> Bond? { identities[peer].flatMap { bonds[$0] } }

  /// The other address by which clients may name a peer; nil if it has one alone.
  func otherName(of peer: BluetoothAddress) -> BluetoothAddress? {
    guard let bond = bond(of: peer) else { return nil }
    return [bond.knownAddress, bond.identity].first { $0 != peer }
  }

  /// The identities of all bonds.
  var allIdentities: [BluetoothAddress] { Array(bonds.keys) }

  /// Adds a bond, in place of the one with the same peer.
  mutating func insert(_ bond: Bond) -> Insertion {
    let other = self.bond(knownAs: bond.knownAddress)
    let olds = [bonds[bond.identity], other].compactMap { $0 }
    guard olds.allSatisfy({ !bond.isWeaker(than: $0) }) else { return .weaker }
    guard !olds.isEmpty || bonds.count < Self.capacity else { return .full }
    for old in olds { forget(old) }
    bonds[bond.identity] = bond
    identities[bond.knownAddress] = bond.identity
    resolver.setKey(bond.peerResolvingKey, of: bond.identity)
    return .stored(replaced: other.map(\.identity).flatMap { $0 == bond.identity ? nil : $0 })
  }

  /// Replaces what is kept of a peer in its bond, whose keys and addresses stay.
  mutating func update(_ bond: Bond) {
    if bonds[bond.identity] != nil { bonds[bond.identity] = bond }
  }

  /// Removes a bond; nil if there is none.
  mutating func remove(_ identity: BluetoothAddress) -> Bond? {
    guard let bond = bonds[identity] else { return nil }
    forget(bond)
    return bond
  }

  private mutating func forget(_ bond: Bond) {
    bonds[bond.identity] = nil
    identities[bond.knownAddress] = nil
    lastAddresses[bond.knownAddress] = nil
    resolvedPeers.remove(bond.knownAddress)
    if bond.peerResolvingKey != nil { resolver.setKey(nil, of: bond.identity) }
  }
}

// The addresses of bonded peers.
extension BondTable {
  /// The address by which clients know the device that has an address on the air: the address itself for a stranger. Nil if
  /// it cannot be resolved now; `now` bounds the effort (`AddressResolver`).
  mutating func peer(at address: BluetoothAddress, now: Duration?) -> BluetoothAddress? {
    guard !bonds.isEmpty else { return address }
    if let bond = bonds[address] { return bond.knownAddress }
    switch resolver.resolve(address, now: now) {
    case .identity(let identity): return bonds[identity]?.knownAddress ?? address
    case .stranger: return address
    case .tooMany: return nil
    }
  }

  /// Notes the address that a peer has now. Returns whether it is another one than `address(of:)` was.
  @discardableResult
  mutating func note(_ address: BluetoothAddress, of peer: BluetoothAddress) -> Bool {
    guard let known = bond(of: peer)?.knownAddress else { return false }
    let old = self.address(of: peer)
    lastAddresses[known] = address
    return old != address
  }

  /// Notes that a peer has a private address, which only the controller knows.
  mutating func noteResolved(_ peer: BluetoothAddress) {
    if let known = bond(of: peer)?.knownAddress { resolvedPeers.insert(known) }
  }

  /// The peers that have an IRK, by their identities, in no order.
  var resolvablePeers: [(identity: BluetoothAddress, key: SecurityKey)] {
    bonds.values.compactMap { bond in bond.peerResolvingKey.map { (bond.identity, $0) } }
  }

  /// The address on the air at which the device is to be reached that clients know by an address: its last one, else that
  /// of its identity.
  func address(of peer: BluetoothAddress) -> BluetoothAddress {
    guard let bond = bond(of: peer) else { return peer }
    return lastAddresses[bond.knownAddress] ?? bond.identity
  }

  /// Whether a peer can have another address than its last one.
  func mayChangeAddress(_ peer: BluetoothAddress) -> Bool { bond(of: peer)?.peerResolvingKey != nil }

  /// Whether a peer changes its address, as far as this host has seen.
  func changesAddress(_ peer: BluetoothAddress) -> Bool {
    guard let bond = bond(of: peer), bond.peerResolvingKey != nil else { return false }
    return resolvedPeers.contains(bond.knownAddress)
      || (lastAddresses[bond.knownAddress] ?? bond.knownAddress).isResolvable
  }
}

// What a peer proves of its identity.
extension BondTable {
  /// A new bond with what is proven in it: any device can claim any identity, and any IRK.
  ///
  /// - Parameter old: the bond that the link had before.
  func proven(_ new: Bond, on link: Link, after old: Bond?) -> Bond {
    var bond = new
    bond.knownAddress = self.bond(of: link.peer)?.knownAddress ?? link.peer
    if let old, let key = old.peerResolvingKey, PairingCryptography.resolves(link.peerAddress, with: key) {
      // The old bond's IRK made the link's address: the peer is that one, whatever it says now.
      (bond.identity, bond.peerResolvingKey) = (old.identity, key)
    } else if new.identity != link.peerAddress, !isProven(new, by: link.peerAddress) {
      bond.identity = link.peerAddress
    }
    // An IRK names one peer: it could be that of another one, which everybody has who paired with it.
    let others = bonds.values.lazy.filter { $0.identity != bond.identity && $0.knownAddress != bond.knownAddress }
    if let key = bond.peerResolvingKey, others.contains(where: { $0.peerResolvingKey == key }) {
      bond.peerResolvingKey = nil
    }
    return bond
  }

  /// Whether the IRK made the address, and no other peer has the identity.
  private func isProven(_ bond: Bond, by address: BluetoothAddress) -> Bool {
    guard let key = bond.peerResolvingKey, PairingCryptography.resolves(address, with: key) else { return false }
    return bonds[bond.identity].map { $0.peerResolvingKey == key } ?? true
  }
}
