import CoreBluetooth
import Testing

/// A delegate that implements what must be, no more.
final class MinimalDelegate: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate, CBPeripheralDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
}

/// A delegate that implements everything, spelled as Apple's documentation spells it.
class CompleteCentralDelegate: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  var discovered: Set<CBPeripheral> = []
  var names: [UUID: String] = [:]
  var services = [CBService: [CBCharacteristic]]()

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff: break
    case .poweredOn:
      central.scanForPeripherals(withServices: nil)
      central.scanForPeripherals(
        withServices: [CBUUID(string: "FFF0")], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    @unknown default: break
    }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard RSSI.intValue > -80, discovered.insert(peripheral).inserted else { return }
    let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name
    names[peripheral.identifier] = name
    if let data = advertisementData[CBAdvertisementDataManufacturerDataKey] as? Data, data.count > 2 { return }
    if let isConnectable = advertisementData[CBAdvertisementDataIsConnectable] as? Bool, !isConnectable { return }
    if let uuids = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID], uuids.isEmpty { return }
    if let data = advertisementData[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data], data.isEmpty { return }
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
    central.connect(peripheral, options: [CBConnectPeripheralOptionNotifyOnDisconnectionKey: true])
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([CBUUID(string: "FFF0")])
    peripheral.discoverServices(nil)
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {}
  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {}

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
    guard let characteristics = service.characteristics else { return }
    services[service] = characteristics
    for characteristic in characteristics where characteristic.properties.contains([.read, .notify]) {
      peripheral.readValue(for: characteristic)
      peripheral.setNotifyValue(!characteristic.isNotifying, for: characteristic)
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
    _ = characteristic.value.flatMap { String(data: $0, encoding: .utf8) }
    if peripheral.canSendWriteWithoutResponse {
      let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
      peripheral.writeValue(Data(count: length), for: characteristic, type: .withoutResponse)
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {}
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
  ) {}
  func peripheral(_ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: Error?)
  {}
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: Error?) {}
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: Error?) {}
  func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: Error?) {}
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {}
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: Error?) {}
  func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}
  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}
}

/// A subclass may override what its superclass implements.
final class OverridingDelegate: CompleteCentralDelegate {
  var sawOldDisconnect = false

  override func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?
  ) { sawOldDisconnect = true }
}

/// Delegates on the main actor, as apps of today write them.
@MainActor
final class MainActorDelegate: NSObject, @preconcurrency CBCentralManagerDelegate {
  var state = CBManagerState.unknown
  func centralManagerDidUpdateState(_ central: CBCentralManager) { state = central.state }
}

struct DelegateIdiomTests {
  @Test("Optional delegate methods are optional") func optionalMethodsAreOptional() {
    let delegate = MinimalDelegate()
    #expect(delegate as Any is any CBCentralManagerDelegate)
    #expect(delegate as Any is any CBPeripheralManagerDelegate)
  }
}
