import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// The open channels of one manager.
final class ChannelDirectory: Sendable {
  private let driver: HostDriver
  private let connections = Locked<[ChannelID: Weak<ChannelConnection>]>([:])

  init(_ driver: HostDriver) { self.driver = driver }

  /// Adds a channel that was opened. The caller retains it.
  func open(_ description: ChannelDescription) -> ChannelConnection {
    let connection = ChannelConnection(description, driver: driver, directory: self)
    connections.withLock { $0[description.id] = Weak(connection) }
    return connection
  }

  /// Passes an event to its channel's streams; they do not wait for the manager's queue.
  func deliver(_ event: ChannelEvent) {
    switch event {
    case .opened, .failed: break
    case .data(let id, let bytes): self[id]?.receive(bytes)
    case .writable(let id): self[id]?.becameWritable()
    case .closed(let id, let end): self[id]?.ended(end)
    }
  }

  /// Ends all channels: their manager is released.
  func endAll() {
    for connection in connections.withLock({ $0.values.compactMap(\.object) }) { connection.ended(.disconnected) }
  }

  func remove(_ id: ChannelID) { connections.withLock { $0[id] = nil } }

  private subscript(id: ChannelID) -> ChannelConnection? { connections.withLock { $0[id]?.object } }
}
