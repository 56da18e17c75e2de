import LatchkeyBluetoothHost

/// The connections that a host's central managers use, for the managers that registered for connection events.
///
/// A host reports a link to the managers that requested it. A device is connected from the first report to the end of
/// the last manager's use.
final class ConnectionRegistry: Sendable {
  private struct Key: Hashable {
    let driver: ObjectIdentifier
    let link: LinkID
  }

  private struct Connection {
    let address: BluetoothAddress
    var users: Set<ObjectIdentifier> = []
  }

  private struct State {
    var connections: [Key: Connection] = [:]
    var listeners: [ObjectIdentifier: Weak<CentralEngine>] = [:]
  }

  private let state = Locked(State())

  /// Handles a link that was reported to a manager.
  func began(_ link: LinkID, _ address: BluetoothAddress, for engine: CentralEngine) {
    let key = Key(driver: ObjectIdentifier(engine.driver), link: link)
    let listeners = state.withLock { state in
      let isNew = state.connections[key] == nil
      state.connections[key, default: Connection(address: address)].users.insert(ObjectIdentifier(engine))
      return isNew ? state.listeners.values.compactMap(\.object) : []
    }
    report(.peerConnected, address, on: key.driver, to: listeners)
  }

  /// Handles the end of a manager's use of a link.
  func ended(_ link: LinkID, for engine: CentralEngine) {
    end(of: ObjectIdentifier(engine)) { $0 == Key(driver: ObjectIdentifier(engine.driver), link: link) }
  }

  /// Handles the end of a manager.
  func removed(_ engine: CentralEngine) {
    state.withLock { $0.listeners[ObjectIdentifier(engine)] = nil }
    end(of: ObjectIdentifier(engine)) { _ in true }
  }

  /// Starts or ends reports to a manager.
  func setListening(_ isListening: Bool, _ engine: CentralEngine) {
    state.withLock { $0.listeners[ObjectIdentifier(engine)] = isListening ? Weak(engine) : nil }
  }

  private func end(of user: ObjectIdentifier, where isMeant: (Key) -> Bool) {
    let (ended, listeners) = state.withLock { state in
      var ended: [(Key, BluetoothAddress)] = []
      for (key, connection) in state.connections where isMeant(key) && connection.users.contains(user) {
        state.connections[key]?.users.remove(user)
        guard connection.users.count == 1 else { continue }
        state.connections[key] = nil
        ended.append((key, connection.address))
      }
      return (ended, ended.isEmpty ? [] : state.listeners.values.compactMap(\.object))
    }
    for (key, address) in ended { report(.peerDisconnected, address, on: key.driver, to: listeners) }
  }

  private func report(
    _ event: CBConnectionEvent, _ address: BluetoothAddress, on driver: ObjectIdentifier, to listeners: [CentralEngine]
  ) {
    for engine in listeners where ObjectIdentifier(engine.driver) == driver {
      engine.callbacks.append(.connectionEvent(event, address), to: engine)
    }
  }
}
