public import Foundation

/// Receives the callbacks of a central manager, on the manager's queue.
///
/// All but `centralManagerDidUpdateState(_:)` are optional: they have a default that does nothing.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
  /// The manager's state changed. Commands are accepted only in `poweredOn`; in any other state scans and connections
  /// have ended.
  func centralManagerDidUpdateState(_ central: CBCentralManager)

  /// A scan found a peripheral. Retain the object to connect to it.
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber)

  /// A connection is up.
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

  /// A connection could not be made. To try again, connect again.
  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

  /// A connection ended, or is no longer attempted; without an error if the app requested that.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)

  /// A connection ended, and when. If this is implemented, the method without a time is not called. If the connection
  /// was requested with `CBConnectPeripheralOptionEnableAutoReconnect`, and the app did not end it, it is requested again.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?)

  /// The manager begins with the state of an earlier process, which used the same restore identifier: called before the
  /// first state. Retain the peripherals: they are `connecting`, and `centralManager(_:didConnect:)` follows once the radio
  /// is on. The scan begins anew then.
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

  /// A device was connected or disconnected by any manager of this host, after `registerForConnectionEvents(options:)`.
  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)

  /// A device's use of Apple's notification service was allowed or forbidden. Never called: Linux has no such service.
  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)
}

extension CBCentralManagerDelegate {
  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {}

  /// Does nothing.
  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}

  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {}

  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {}

  /// Calls the method without a time.
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {
    centralManager(central, didDisconnectPeripheral: peripheral, error: error)
  }

  /// Does nothing.
  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}

  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {}

  /// Does nothing.
  public func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}
}
