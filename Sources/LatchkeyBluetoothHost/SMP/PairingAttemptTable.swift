/// The waiting intervals of peers whose pairings failed, by the addresses under which clients know them.
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
