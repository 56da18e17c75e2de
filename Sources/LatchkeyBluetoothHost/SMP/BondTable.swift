/// The bonds of a host, by the peers' identity addresses.
struct BondTable {
  /// The most bonds. A peer that pairs under one address after the other displaces none of them.
  static let capacity = 256

  /// What became of a new bond.
  enum Insertion {
    case stored
    /// A stronger bond with the same identity stays: a peer without its key claims to be it.
    case weaker
    case full
  }

  private var bonds: [BluetoothAddress: Bond] = [:]

  /// The bond with an identity.
  subscript(identity: BluetoothAddress) -> Bond? { bonds.isEmpty ? nil : bonds[identity] }

  /// The identities of all bonds.
  var identities: [BluetoothAddress] { Array(bonds.keys) }

  /// Adds a bond, in place of the one with the same identity.
  mutating func insert(_ bond: Bond) -> Insertion {
    if let old = bonds[bond.identity] {
      guard !bond.isWeaker(than: old) else { return .weaker }
    } else {
      guard bonds.count < Self.capacity else { return .full }
    }
    bonds[bond.identity] = bond
    return .stored
  }

  /// Removes a bond; nil if there is none.
  mutating func remove(_ identity: BluetoothAddress) -> Bond? { bonds.removeValue(forKey: identity) }
}

/// The waiting intervals of peers whose pairings failed, by the addresses of their links.
struct PairingAttemptTable {
  /// The most peers: beyond it, those that may try again first are forgotten.
  static let capacity = 256

  private var attempts: [BluetoothAddress: PairingAttempts] = [:]

  /// The value for the next session with a peer.
  subscript(peer: BluetoothAddress) -> PairingAttempts { attempts[peer] ?? PairingAttempts() }

  var count: Int { attempts.count }

  /// Records the value of a session that ended a pairing.
  mutating func set(_ value: PairingAttempts, for peer: BluetoothAddress, now: Duration) {
    guard !value.isForgotten(now: now) else {
      attempts[peer] = nil
      return
    }
    if attempts[peer] == nil, attempts.count >= Self.capacity { makeRoom(now: now) }
    attempts[peer] = value
  }

  private mutating func makeRoom(now: Duration) {
    attempts = attempts.filter { !$0.value.isForgotten(now: now) }
    guard attempts.count >= Self.capacity else { return }
    let first = attempts.min { ($0.value.waitsUntil ?? .zero) < ($1.value.waitsUntil ?? .zero) }
    if let first { attempts[first.key] = nil }
  }
}
