import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// A connection whose attempt waits for its start delay.
///
/// Unchecked: the peripheral is a weak reference, which any thread may read.
final class DelayedConnection: @unchecked Sendable {
  private let peripheral: Weak<CBPeripheral>
  private let timer = Locked<(any ScheduledTimer)?>(nil)

  init(of peripheral: CBPeripheral) { self.peripheral = Weak(peripheral) }

  /// Calls `body` once after the delay, unless this object is released before.
  func arm(_ driver: HostDriver, _ delay: Duration, _ body: @escaping @Sendable () -> Void) {
    let new = driver.makeTimer(after: delay, body)
    timer.withLock { $0 = new }
  }

  /// Whether the connection is that of this object.
  func isOf(_ object: CBPeripheral?) -> Bool { object != nil && peripheral.object === object }
}

// The app's requests for connections.
extension CentralEngine {
  /// Requests a connection to a peripheral, at once or after a delay.
  func connect(_ peripheral: CBPeripheral, _ options: ConnectOptions, client: ClientID) {
    let address = peripheral.address
    var delayed: DelayedConnection?
    command {
      switch peripheral.current.withLock({ $0.connection.connect(reconnects: options.reconnects) }) {
      case .nothing: return false
      case .alreadyConnected:
        callbacks.append(.connectedAlready(peripheral), to: self)
        return false
      case .ask:
        if options.startDelay > .zero { delayed = DelayedConnection(of: peripheral) }
        state.withLock { $0.delayed[address] = delayed }
        return delayed == nil
      }
    } _: { host, now in
      host.connect(client, to: address, now: now)
    }
    guard let delayed else { return }
    delayed.arm(driver, options.startDelay) { [weak self, weak delayed] in
      if let self, let delayed { self.start(delayed, at: address, client: client) }
    }
  }

  /// Starts a connection whose delay is over, unless it was canceled.
  private func start(_ delayed: DelayedConnection, at address: BluetoothAddress, client: ClientID) {
    command {
      state.withLock { state in
        guard state.delayed[address] === delayed else { return false }
        state.delayed[address] = nil
        return true
      }
    } _: { host, now in
      host.connect(client, to: address, now: now)
    }
  }

  /// Ends a connection, or the attempt at one.
  func cancel(_ peripheral: CBPeripheral, client: ClientID) {
    let address = peripheral.address
    command {
      guard peripheral.current.withLock({ $0.connection.cancel() }) else { return false }
      guard state.withLock({ $0.delayed.removeValue(forKey: address) }) != nil else { return true }
      // The host has no attempt to end, and reports nothing.
      callbacks.append(.event(.disconnected(LinkID(0), address, .central, .requested)), to: self)
      return false
    } _: { host, now in
      host.disconnect(client, from: address, now: now)
    }
  }

  /// Removes the delayed connection of a peripheral that the app released. Returns false if it is that of its successor.
  func removeDelayed(at address: BluetoothAddress, unlessOf successor: CBPeripheral?) -> Bool {
    state.withLock { state in
      guard let delayed = state.delayed[address] else { return true }
      guard !delayed.isOf(successor) else { return false }
      state.delayed[address] = nil
      return true
    }
  }

  /// Reports the end of a connection; one that was lost is requested again if the app chose that.
  func ended(_ peripheral: CBPeripheral) -> ConnectionProgress.End {
    driver.withHost { host, now in
      let mayReconnect = host.state == .poweredOn && withSession { $0.life == host.life }
      let end = peripheral.current.withLock { $0.connection.ended(mayReconnect: mayReconnect) }
      if end == .reconnecting, let client { host.connect(client, to: peripheral.address, now: now) }
      return end
    }
  }
}
