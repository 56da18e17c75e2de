import CoreBluetooth
import Foundation
import Synchronization

/// A device in the test's own process, with what `latchkey ble serve` does not have.
///
/// Unchecked: its state belongs to `queue`, but for what the test gives at the start.
final class PeripheralInTest: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  private let queue = DispatchQueue(label: "latchkey.tests.peripheral")
  private let name: String
  private let services: [CBMutableService]
  private let answers: Bool
  private var added = 0
  private var manager: CBPeripheralManager?
  private let (advertising, continuation) = AsyncStream<Bool>.makeStream()
  /// Values that are sent to whoever subscribes.
  var values: [Data] = []

  /// - Parameter answers: whether requests of values are answered at all.
  init(_ name: String, _ services: [CBMutableService], answers: Bool = true) {
    self.name = name
    self.services = services
    self.answers = answers
    super.init()
  }

  /// Waits until it advertises; false if it cannot.
  func start(_ controller: String) async -> Bool {
    queue.sync {
      manager = CBPeripheralManager(delegate: self, queue: queue, options: [CBManagerOptionControllerKey: controller])
    }
    for await isAdvertising in advertising { return isAdvertising }
    return false
  }

  func stop() {
    queue.sync {
      manager?.delegate = nil
      manager = nil
    }
  }

  static func service(_ uuid: String, _ characteristics: [CBMutableCharacteristic]) -> CBMutableService {
    let service = CBMutableService(type: CBUUID(string: uuid), primary: true)
    service.characteristics = characteristics
    return service
  }

  static func characteristic(
    _ uuid: String, _ properties: CBCharacteristicProperties, _ value: [UInt8]? = nil
  ) -> CBMutableCharacteristic {
    CBMutableCharacteristic(
      type: CBUUID(string: uuid), properties: properties, value: value.map { Data($0) },
      permissions: value == nil ? [.readable, .writeable] : [.readable])
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    for service in services { peripheral.add(service) }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    guard error == nil else {
      continuation.yield(false)
      return
    }
    added += 1
    if added == services.count { peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name]) }
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    continuation.yield(error == nil)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    guard answers else { return }
    request.value = Data([0x2A])
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard answers, let first = requests.first else { return }
    peripheral.respond(to: first, withResult: .success)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    guard let characteristic = characteristic as? CBMutableCharacteristic else { return }
    for value in values { _ = peripheral.updateValue(value, for: characteristic, onSubscribedCentrals: nil) }
  }
}
