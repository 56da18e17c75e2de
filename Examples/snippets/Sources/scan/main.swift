import CoreBluetooth

final class Scanner: NSObject, CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }
  func centralManager(
    _ central: CBCentralManager, didDiscover found: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) { print(found.identifier, advertisementData, rssi) }
}
let scanner = Scanner()
let central = CBCentralManager(delegate: scanner, queue: nil)
dispatchMain()
