public import Foundation

/// Is told what happens to a central manager, on the manager's queue.
///
/// All but `centralManagerDidUpdateState(_:)` are optional: they have a default that does nothing.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
  /// The manager's state changed. Only with `poweredOn` commands may be given; with anything else scans and connections
  /// have ended.
  func centralManagerDidUpdateState(_ central: CBCentralManager)

  /// A scan found a peripheral. Keep the object if it is to be connected to.
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber)

  /// A connection is up.
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

  /// A connection could not be made. To try again, connect again.
  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

  /// A connection ended, or is no longer attempted; without an error if the app asked for that.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)

  /// A connection ended, and when. Where this is implemented, the call without a time does not come.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?)
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
}
