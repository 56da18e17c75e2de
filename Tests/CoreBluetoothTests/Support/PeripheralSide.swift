import CoreBluetooth
import Testing

/// A peripheral manager on a queue of its own, whose callbacks a test waits for, and which answers requests from a
/// dictionary of values.
final class PeripheralSide: NSObject, @unchecked Sendable {
  enum Event {
    case state(CBManagerState)
    case added(CBService, (any Error)?)
    case advertising((any Error)?)
    case subscribed(CBCentral, CBCharacteristic)
    case unsubscribed(CBCentral, CBCharacteristic)
    case read(CBATTRequest)
    case write([CBATTRequest])
    case ready
    case published(CBL2CAPPSM, (any Error)?)
    case unpublished(CBL2CAPPSM, (any Error)?)
    case channel(CBL2CAPChannel?, (any Error)?)
  }

  let log = EventLog<Event>()
  let queue = DispatchQueue(label: "peripheral")
  private(set) var manager: CBPeripheralManager!
  /// What `willRestoreState` got.
  let restored = EventLog<[String: Any]>()
  /// Answers requests instead of the standard answer, which serves and stores values.
  var onRead: ((CBATTRequest) -> Void)?
  var onWrite: (([CBATTRequest]) -> Void)?
  var onReady: (() -> Void)?

  init(_ options: [String: Any]) {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
  }

  /// Lets go of the manager.
  func dropManager() { manager = nil }

  func isPoweredOn() async throws {
    try await log.first { event in
      if case .state(.poweredOn) = event { return () }
      return nil
    }
  }

  func add(_ service: CBMutableService) async throws {
    manager.add(service)
    let error = try await log.first { event -> (any Error)?? in
      if case .added(service, let error) = event { return .some(error) }
      return nil
    }
    if let error { throw error }
  }

  func advertise(_ name: String, services: [CBUUID] = []) async throws {
    manager.startAdvertising([CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: services])
    let error = try await log.first { event -> (any Error)?? in
      if case .advertising(let error) = event { return .some(error) }
      return nil
    }
    if let error { throw error }
  }

  func subscription(to characteristic: CBCharacteristic) async throws -> CBCentral {
    try await log.first { event in
      if case .subscribed(let central, characteristic) = event { return central }
      return nil
    }
  }

  func unsubscription(from characteristic: CBCharacteristic) async throws -> CBCentral {
    try await log.first { event in
      if case .unsubscribed(let central, characteristic) = event { return central }
      return nil
    }
  }

  func write() async throws -> [CBATTRequest] {
    try await log.first { event in
      if case .write(let requests) = event { return requests }
      return nil
    }
  }

  func read() async throws -> CBATTRequest {
    try await log.first { event in
      if case .read(let request) = event { return request }
      return nil
    }
  }
}

extension PeripheralSide: CBPeripheralManagerDelegate {
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) { restored.add(dict) }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { log.add(.state(peripheral.state)) }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    log.add(.added(service, error))
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    log.add(.advertising(error))
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) { log.add(.subscribed(central, characteristic)) }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) { log.add(.unsubscribed(central, characteristic)) }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    log.add(.read(request))
    if let onRead { return onRead(request) }
    let value = request.characteristic.value ?? Data()
    guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
    request.value = value.dropFirst(request.offset)
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    log.add(.write(requests))
    if let onWrite { return onWrite(requests) }
    for request in requests { (request.characteristic as? CBMutableCharacteristic)?.value = request.value }
    if let first = requests.first { peripheral.respond(to: first, withResult: .success) }
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    log.add(.ready)
    onReady?()
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) { log.add(.published(PSM, error)) }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) { log.add(.unpublished(PSM, error)) }

  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    log.add(.channel(channel, error))
  }
}
