import CoreBluetooth
import LatchkeyBluetoothTransports

/// One pairing of two devices that have never met, on a radio of their own: a read that needs encryption, from the call to its
/// value. Unchecked: each manager's queue alone changes its part.
final class PairingRound: NSObject, @unchecked Sendable {
  private static let service = CBUUID(string: "4C41")
  private static let secret = CBUUID(string: "4C42")

  private let clock = ContinuousClock()
  private let name: String
  private let finished: @Sendable (Duration) -> Void
  private let central: CBCentralManager
  private let peripheral: CBPeripheralManager
  private let radio = VirtualRadio(preferredMTU: 247)
  private var peer: CBPeripheral?
  private var begin: ContinuousClock.Instant?

  /// Begins at once; `finished` gets the duration of the pairing, once, on the central's queue.
  init(number: Int, finished: @escaping @Sendable (Duration) -> Void) {
    name = "pair-\(number)"
    self.finished = finished
    radio.use(as: name)
    let options: [String: Any] = [CBManagerOptionControllerKey: "virtual:\(name)"]
    central = CBCentralManager(delegate: nil, queue: DispatchQueue(label: "central"), options: options)
    peripheral = CBPeripheralManager(delegate: nil, queue: DispatchQueue(label: "peripheral"), options: options)
    super.init()
    peripheral.delegate = self
    if peripheral.state == .poweredOn { peripheralManagerDidUpdateState(peripheral) }
  }
}

extension PairingRound: CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: Self.service, primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: Self.secret, properties: .read, value: nil, permissions: .readEncryptionRequired)
    ]
    peripheral.add(service)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    central.delegate = self
    if central.state == .poweredOn { centralManagerDidUpdateState(central) }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    request.value = Data([1])
    peripheral.respond(to: request, withResult: .success)
  }
}

extension PairingRound: CBCentralManagerDelegate, CBPeripheralDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) {
    guard peer == nil else { return }
    peer = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([Self.service])
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    fatalError("not connected: \(String(describing: error))")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    fatalError("disconnected: \(String(describing: error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first else { fatalError("no service: \(String(describing: error))") }
    peripheral.discoverCharacteristics([Self.secret], for: service)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    guard let secret = service.characteristics?.first else { fatalError("no value: \(String(describing: error))") }
    begin = clock.now
    peripheral.readValue(for: secret)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    guard let begin, characteristic.value == Data([1]) else {
      fatalError("not paired: \(String(describing: error))")
    }
    finished(clock.now - begin)
  }
}
