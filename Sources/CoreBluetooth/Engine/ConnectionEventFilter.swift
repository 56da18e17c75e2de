import Foundation
import LatchkeyBluetoothHost

/// Which devices' connection events an app registered for.
struct ConnectionEventFilter {
  let services: Set<BluetoothUUID>
  let identifiers: Set<UUID>

  /// Reads an app's options; values of other types match nothing.
  init(_ options: [CBConnectionEventMatchingOption: Any]) {
    services = Set((options[.serviceUUIDs] as? [CBUUID] ?? []).map(\.bluetoothUUID))
    identifiers = Set(options[.peripheralUUIDs] as? [UUID] ?? [])
  }

  /// Whether one of the options matches a device.
  func matches(_ peer: PeerDirectory.Peer) -> Bool {
    identifiers.contains(peer.identifier) || !services.isDisjoint(with: peer.services)
  }
}

extension CentralEngine {
  /// Starts, changes or ends the app's registration.
  func registerForConnectionEvents(_ filter: ConnectionEventFilter?) {
    state.withLock { $0.connectionEventFilter = filter }
    peers.connections.setListening(filter != nil, self)
  }

  /// Reports a connection event on the manager's queue, if the app is registered for it.
  func connectionEventOccurred(_ event: CBConnectionEvent, _ address: BluetoothAddress) {
    guard let filter = state.withLock({ $0.connectionEventFilter }), filter.matches(peers.peer(at: address)) else {
      return
    }
    let peripheral = peripheral(at: address)
    callDelegate { $0.centralManager($1, connectionEventDidOccur: event, for: peripheral) }
  }
}
