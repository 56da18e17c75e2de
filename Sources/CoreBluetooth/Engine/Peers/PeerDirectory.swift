import Foundation
import LatchkeyBluetoothHost

/// The peers that a host's managers met: identifier, name, services.
///
/// One for each controller, shared by its managers, so that a peripheral that one of them found can be retrieved by
/// another. Those that an app connected to are stored beyond the process by a `PeerStore`.
final class PeerDirectory: Sendable {
  struct Peer {
    var identifier: UUID
    var gapName: String?
    var advertisedName: String?
    var services: Set<BluetoothUUID> = []
    var isSaved = false
  }

  fileprivate struct State {
    var peers: [BluetoothAddress: Peer] = [:]
    var addresses: [UUID: BluetoothAddress] = [:]
    /// Addresses in the order in which they were met first, for removal.
    var order: [BluetoothAddress] = []
  }

  /// Beyond this many, those met first are removed: passing phones change their addresses without end.
  private static let capacity = 4096
  /// The limit of stored services of one peer.
  private static let serviceCapacity = 64

  /// The connections that the host's central managers use.
  let connections = ConnectionRegistry()
  private let key: PeerIdentifierKey
  private let store: PeerStore?
  private let state = Locked(State())

  /// A directory; without a store it ends with the process, as a virtual radio does.
  init(store: PeerStore?) {
    self.store = store
    key = store?.key ?? .virtual
    for address in store?.load() ?? [] {
      let identifier = key.identifier(of: address)
      state.withLock { state in
        state.add(address, Peer(identifier: identifier, isSaved: true), capacity: Self.capacity)
      }
    }
  }

  /// The entry of a peer, created if necessary.
  func peer(at address: BluetoothAddress) -> Peer {
    state.withLock { state in
      if let known = state.peers[address] { return known }
      let peer = Peer(identifier: key.identifier(of: address))
      state.add(address, peer, capacity: Self.capacity)
      return peer
    }
  }

  /// The address of a peer that was met, or saved.
  func address(of identifier: UUID) -> BluetoothAddress? { state.withLock { $0.addresses[identifier] } }

  /// Stores a peer when an app connects to it.
  func save(_ address: BluetoothAddress) {
    _ = peer(at: address)
    let saved: [BluetoothAddress]? = state.withLock { state in
      guard state.peers[address]?.isSaved == false else { return nil }
      state.peers[address]?.isSaved = true
      return state.order.filter { state.peers[$0]?.isSaved == true }
    }
    if let saved { store?.save(saved) }
  }

  func note(advertisedName: String?, services: [BluetoothUUID], of address: BluetoothAddress) {
    _ = peer(at: address)
    state.withLock { state in
      if let advertisedName { state.peers[address]?.advertisedName = advertisedName }
      state.note(services, of: address, capacity: Self.serviceCapacity)
    }
  }

  func note(gapName: String, of address: BluetoothAddress) {
    state.withLock { $0.peers[address]?.gapName = gapName }
  }

  func note(services: [BluetoothUUID], of address: BluetoothAddress) {
    state.withLock { $0.note(services, of: address, capacity: Self.serviceCapacity) }
  }
}

extension PeerDirectory.State {
  fileprivate mutating func add(_ address: BluetoothAddress, _ peer: PeerDirectory.Peer, capacity: Int) {
    guard peers[address] == nil else { return }
    // Peers that an app connected to are removed last.
    if order.count >= capacity,
      let oldest = order.firstIndex(where: { peers[$0]?.isSaved == false }) ?? order.indices.first
    {
      let forgotten = order.remove(at: oldest)
      if let peer = peers.removeValue(forKey: forgotten) { addresses[peer.identifier] = nil }
    }
    peers[address] = peer
    addresses[peer.identifier] = address
    order.append(address)
  }

  fileprivate mutating func note(_ services: [BluetoothUUID], of address: BluetoothAddress, capacity: Int) {
    guard let count = peers[address]?.services.count, count < capacity else { return }
    peers[address]?.services.formUnion(services.prefix(capacity - count))
  }
}
