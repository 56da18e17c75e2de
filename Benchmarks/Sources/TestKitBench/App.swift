import CoreBluetooth
import Foundation

/// An app that connects to the first heart rate sensor that it finds, and discovers all of it.
final class App: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  private let queue = DispatchQueue(label: "app")
  private let lock = NSLock()
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?
  private var characteristics: [String: CBCharacteristic] = [:]
  private var undiscovered = 0
  private var received: [Data] = []
  private var completedWrites = 0
  private var knowsAll = false

  var isReady: Bool { lock.withLock { knowsAll } }
  var values: [Data] { lock.withLock { received } }
  var written: Int { lock.withLock { completedWrites } }

  func start() { manager = CBCentralManager(delegate: self, queue: queue) }

  func read(_ uuid: String) {
    guard let (peripheral, characteristic) = target(uuid) else { return }
    peripheral.readValue(for: characteristic)
  }

  func write(_ value: Data, to uuid: String) {
    guard let (peripheral, characteristic) = target(uuid) else { return }
    peripheral.writeValue(value, for: characteristic, type: .withResponse)
  }

  func subscribe(_ uuid: String) {
    guard let (peripheral, characteristic) = target(uuid) else { return }
    peripheral.setNotifyValue(true, for: characteristic)
  }

  private func target(_ uuid: String) -> (CBPeripheral, CBCharacteristic)? {
    lock.withLock {
      guard let peripheral, let characteristic = characteristics[uuid] else { return nil }
      return (peripheral, characteristic)
    }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: "180D")]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    lock.withLock { self.peripheral = peripheral }
    central.stopScan()
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices(nil)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    let services = peripheral.services ?? []
    lock.withLock { undiscovered = services.count }
    for service in services { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    lock.withLock {
      for characteristic in service.characteristics ?? [] {
        characteristics[characteristic.uuid.uuidString] = characteristic
      }
      undiscovered -= 1
      knowsAll = undiscovered == 0
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if error == nil, let value = characteristic.value { lock.withLock { received.append(value) } }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if error == nil { lock.withLock { completedWrites += 1 } }
  }
}
