/// A key that encrypts links, and how it was made: an LTK, or the STK that legacy pairing encrypts with first (Core 6.0
/// Vol 3 Part H 2.4.1, 2.4.4).
package struct LongTermKey: Equatable, Sendable {
  /// The key; bytes beyond `size` are zero.
  package var key: SecurityKey
  /// The length that both ends agreed on, in bytes, 7...16.
  package var size: Int
  /// Whether the pairing was protected against a man in the middle.
  package var isAuthenticated: Bool
  /// Whether LE Secure Connections made it.
  package var isSecureConnections: Bool
  /// EDIV; zero for an STK and for a key of Secure Connections.
  package var encryptedDiversifier: UInt16
  /// Rand; zero for an STK and for a key of Secure Connections.
  package var randomNumber: UInt64

  package init(
    key: SecurityKey, size: Int, isAuthenticated: Bool, isSecureConnections: Bool, encryptedDiversifier: UInt16 = 0,
    randomNumber: UInt64 = 0
  ) {
    self.key = key
    self.size = size
    self.isAuthenticated = isAuthenticated
    self.isSecureConnections = isSecureConnections
    self.encryptedDiversifier = encryptedDiversifier
    self.randomNumber = randomNumber
  }
}

extension LongTermKey {
  /// Whether a link of this key is protected less than one of another key.
  package func isWeaker(than other: LongTermKey) -> Bool {
    other.isAuthenticated && !isAuthenticated || other.isSecureConnections && !isSecureConnections || size < other.size
  }
}

/// The result of a pairing: what both ends know of each other.
///
/// Keys print as "a secret" and are wiped with the last copy.
package struct Bond: Equatable, Sendable {
  /// The peer's identity address, or the address of the link if the peer distributed none.
  package var identity: BluetoothAddress
  /// The address by which clients know the peer, that of the first link on which it paired: it stays the same whatever
  /// addresses the peer has later.
  package var knownAddress: BluetoothAddress
  /// Whether both ends asked for bonding. If not, the keys end with the link.
  package var isPersistent: Bool
  /// The key to encrypt with while this end is the central: the peer distributed it, or both ends computed it.
  package var keyAsCentral: LongTermKey?
  /// The key to answer a Long Term Key Request with while this end is the peripheral: this end distributed it, or both ends
  /// computed it.
  package var keyAsPeripheral: LongTermKey?
  /// The peer's IRK; nil if it distributed none, or zeros.
  package var peerResolvingKey: SecurityKey?
  /// The peer's CSRK.
  package var peerSigningKey: SecurityKey?
  /// The identity address and the IRK that the peer received from this end.
  package var localIdentity: PairingIdentity?
  /// The CSRK that the peer received from this end.
  package var localSigningKey: SecurityKey?
  /// What the server keeps of the peer; nil if nothing was kept yet.
  package var client: BondedClient?

  /// The key to encrypt with, or to answer with, in a role.
  package func key(as role: LinkRole) -> LongTermKey? { role == .central ? keyAsCentral : keyAsPeripheral }

  /// Whether there is a key to encrypt with in either role.
  package var hasKey: Bool { keyAsCentral != nil || keyAsPeripheral != nil }

  /// Whether it is another bond but for what is kept of the peer.
  package func hasSameKeys(as other: Bond) -> Bool {
    var other = other
    other.client = client
    return self == other
  }

  /// Whether a key of it protects less than that of another bond.
  func isWeaker(than other: Bond) -> Bool {
    guard let old = other.keyAsCentral ?? other.keyAsPeripheral else { return false }
    guard let new = keyAsCentral ?? keyAsPeripheral else { return true }
    return new.isWeaker(than: old)
  }

  /// A bond without keys.
  package init(identity: BluetoothAddress, isPersistent: Bool) {
    self.identity = identity
    knownAddress = identity
    self.isPersistent = isPersistent
  }
}

/// The identity that this end distributes (Core 6.0 Vol 3 Part H 2.4.2.1).
package struct PairingIdentity: Equatable, Sendable {
  /// A public or static random address.
  package var address: BluetoothAddress
  /// The IRK of this device, the same for all peers.
  package var resolvingKey: SecurityKey

  package init(address: BluetoothAddress, resolvingKey: SecurityKey) {
    self.address = address
    self.resolvingKey = resolvingKey
  }
}
