import CoreBluetooth
import Testing

final class Lamp: NSObject, CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ lamp: CBPeripheralManager) {
    if lamp.state == .poweredOn { lamp.startAdvertising([CBAdvertisementDataLocalNameKey: "Lamp"]) }
  }
}
final class App: NSObject, CBCentralManagerDelegate {
  let (names, found) = AsyncStream<String?>.makeStream()
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) { found.yield(peripheral.name) }
}
@Test(.timeLimit(.minutes(1))) func theAppFindsTheLamp() async {
  let (lamp, app) = (Lamp(), App())
  let managers = (CBPeripheralManager(delegate: lamp, queue: nil), CBCentralManager(delegate: app, queue: nil))
  #expect(await app.names.first { _ in true } == "Lamp")
  withExtendedLifetime(managers) {}
}
