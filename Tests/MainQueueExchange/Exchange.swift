import CoreBluetooth

/// A peripheral and a central in one program, both with `queue: nil`: the central finds the peripheral and reads a value.
///
/// Every callback has to be on the main queue, whatever it is that serves that queue.
package final class Exchange: NSObject {
  private static let service = CBUUID(string: "FFF0")
  private static let characteristic = CBUUID(string: "FFF1")

  private let finish: (String) -> Void
  private var peripheralManager: CBPeripheralManager?
  private var centralManager: CBCentralManager?
  private var found: CBPeripheral?

  /// Begins the exchange.
  ///
  /// - Parameter finish: gets the value that was read, `hello`, or what went wrong.
  package init(finish: @escaping (String) -> Void) {
    self.finish = finish
    super.init()
    // A radio of its own, so that exchanges can run side by side.
    let options = [CBManagerOptionControllerKey: "virtual:\(UUID().uuidString)"]
    peripheralManager = CBPeripheralManager(delegate: self, queue: nil, options: options)
    centralManager = CBCentralManager(delegate: self, queue: nil, options: options)
  }

  private func check(_ error: Error?) {
    dispatchPrecondition(condition: .onQueue(.main))
    if let error { finish("\(error)") }
  }
}

extension Exchange: CBPeripheralManagerDelegate {
  package func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    check(nil)
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: Self.service, primary: true)
    service.characteristics = [
      CBMutableCharacteristic(type: Self.characteristic, properties: .read, value: nil, permissions: .readable)
    ]
    peripheral.add(service)
  }

  package func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
    check(error)
    peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
  }

  package func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) { check(error) }

  package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    check(nil)
    request.value = Data("hello".utf8)
    peripheral.respond(to: request, withResult: .success)
  }
}

extension Exchange: CBCentralManagerDelegate, CBPeripheralDelegate {
  package func centralManagerDidUpdateState(_ central: CBCentralManager) {
    check(nil)
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [Self.service]) }
  }

  package func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    check(nil)
    found = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
  }

  package func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    check(nil)
    peripheral.discoverServices([Self.service])
  }

  package func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    check(error)
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }

  package func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
    check(error)
    for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
  }

  package func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?)
  {
    check(error)
    finish(String(decoding: characteristic.value ?? Data(), as: UTF8.self))
  }
}
