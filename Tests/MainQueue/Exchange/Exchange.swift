public import CoreBluetooth

/// Both roles with `queue: nil`: a central finds a peripheral in the same process, connects, discovers and reads. Whatever
/// runs the main queue has to get it to its end.
public final class Exchange: NSObject {
  /// Is called once, on the main queue, with what was read, or nil when something failed.
  private let done: (String?) -> Void
  private let name: String
  private let peripheralManager: CBPeripheralManager
  private let centralManager: CBCentralManager
  private var peer: CBPeripheral?
  private var isDone = false

  /// Begins at once, on a radio of its own. Each test names another one.
  public init(radio: String, done: @escaping (String?) -> Void) {
    self.done = done
    name = radio
    let options = [CBManagerOptionControllerKey: "virtual:\(radio)"]
    peripheralManager = CBPeripheralManager(delegate: nil, queue: nil, options: options)
    centralManager = CBCentralManager(delegate: nil, queue: nil, options: options)
    super.init()
    peripheralManager.delegate = self
    centralManager.delegate = self
  }

  private func end(_ text: String?) {
    dispatchPrecondition(condition: .onQueue(.main))
    guard !isDone else { return }
    isDone = true
    done(text)
  }
}

extension Exchange: CBPeripheralManagerDelegate {
  /// Publishes one characteristic.
  public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: CBUUID(string: "FFF1"), properties: .read, value: nil, permissions: .readable)
    ]
    peripheral.add(service)
  }

  /// Advertises it.
  public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    guard error == nil else { return end(nil) }
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name])
  }

  /// Answers.
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    request.value = Data("main".utf8)
    peripheral.respond(to: request, withResult: .success)
  }
}

extension Exchange: CBCentralManagerDelegate, CBPeripheralDelegate {
  /// Scans.
  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }

  /// Connects.
  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) {
    guard peer == nil else { return }
    peer = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
  }

  /// Discovers.
  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([CBUUID(string: "FFF0")])
  }

  /// Discovers further.
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first else { return end(nil) }
    peripheral.discoverCharacteristics(nil, for: service)
  }

  /// Reads.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    guard let characteristic = service.characteristics?.first else { return end(nil) }
    peripheral.readValue(for: characteristic)
  }

  /// Ends.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    end(characteristic.value.map { String(decoding: $0, as: UTF8.self) })
  }
}
