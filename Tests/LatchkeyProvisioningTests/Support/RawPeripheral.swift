import CoreBluetooth
import Foundation

/// A device that answers what a test wants.
///
/// Unchecked: all of its state belongs to `queue`.
final class RawPeripheral: NSObject, @unchecked Sendable {
  /// The result of a write: its answer, the values to notify, and the value to be read from now on.
  struct Reaction {
    var code = CBATTError.Code.success
    var notified: [[UInt8]] = []
    var readable: [UInt8]?
  }

  struct Shape {
    var service = "F200"
    var request: (uuid: String, properties: CBCharacteristicProperties)? = ("F201", [.write, .writeWithoutResponse])
    var answer: (uuid: String, properties: CBCharacteristicProperties)? = ("F202", [.read, .notify])
  }

  private let queue = DispatchQueue(label: "test.peripheral")
  private let shape: Shape
  private let greeting: [[UInt8]]
  private let react: ([UInt8]) -> Reaction
  private var manager: CBPeripheralManager?
  private var answer: CBMutableCharacteristic?
  private var readable: [UInt8] = []
  private var outgoing: [Data] = []
  private var advertising: CheckedContinuation<Void, Never>?
  private(set) var subscriptions = 0
  private(set) var writes: [[UInt8]] = []

  /// A device of this shape, which notifies `greeting` to each subscriber.
  init(
    _ shape: Shape = Shape(), greeting: [[UInt8]] = [],
    react: @escaping @Sendable ([UInt8]) -> Reaction = { _ in Reaction() }
  ) {
    self.shape = shape
    self.greeting = greeting
    self.react = react
  }

  /// Returns when it advertises as `Lamp`.
  func start(_ options: [String: any Sendable]) async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        advertising = continuation
        manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
      }
    }
  }

  func stop() {
    queue.sync {
      manager?.stopAdvertising()
      manager?.removeAllServices()
      manager?.delegate = nil
      manager = nil
    }
  }

  /// The values written so far.
  var written: [[UInt8]] { queue.sync { writes } }
  /// The number of subscriptions.
  var subscriptionCount: Int { queue.sync { subscriptions } }

  private func flush() {
    guard let answer else { return }
    while let value = outgoing.first, manager?.updateValue(value, for: answer, onSubscribedCentrals: nil) == true {
      outgoing.removeFirst()
    }
  }
}

extension RawPeripheral: CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: CBUUID(string: shape.service), primary: true)
    var characteristics: [CBCharacteristic] = []
    if let request = shape.request {
      characteristics.append(
        CBMutableCharacteristic(
          type: CBUUID(string: request.uuid), properties: request.properties, value: nil, permissions: .writeable))
    }
    if let answer = shape.answer {
      let characteristic = CBMutableCharacteristic(
        type: CBUUID(string: answer.uuid), properties: answer.properties, value: nil, permissions: .readable)
      self.answer = characteristic
      characteristics.append(characteristic)
    }
    service.characteristics = characteristics
    peripheral.add(service)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Lamp"])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    advertising?.resume()
    advertising = nil
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    subscriptions += 1
    outgoing += greeting.map { Data($0) }
    flush()
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    guard request.offset <= readable.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
    request.value = Data(readable.dropFirst(request.offset))
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard let first = requests.first else { return }
    var reaction = Reaction()
    for request in requests {
      let value = [UInt8](request.value ?? Data())
      writes.append(value)
      let next = react(value)
      reaction.code = next.code
      reaction.notified += next.notified
      reaction.readable = next.readable ?? reaction.readable
    }
    if let value = reaction.readable { readable = value }
    peripheral.respond(to: first, withResult: reaction.code)
    outgoing += reaction.notified.map { Data($0) }
    flush()
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    flush()
  }
}
