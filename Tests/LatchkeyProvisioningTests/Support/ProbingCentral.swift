import CoreBluetooth
import Foundation

/// A central that does to all characteristics of a device whatever a test wants: guesses, noise, halves of messages, requests that it
/// does not wait for. Each call returns when the device has answered or the link has ended.
///
/// Unchecked: all of its state belongs to `queue`.
final class ProbingCentral: NSObject, @unchecked Sendable {
  /// What came of a call.
  enum Outcome: Hashable, Sendable {
    case done([UInt8])
    case refused(CBATTError.Code)
    case lost
  }

  private let queue = DispatchQueue(label: "test.probing")
  private let name: String
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?
  private var characteristics: [String: CBCharacteristic] = [:]
  private var undiscovered: Set<ObjectIdentifier> = []
  private var isConnecting = false
  private var isConnected = false
  private var waiting: CheckedContinuation<Outcome, Never>?
  /// The call that waits for its answer.
  private var call: (kind: Call, uuid: String)?
  private var notified: [String: [[UInt8]]] = [:]

  private enum Call { case connect, subscribe, write, read, notification, disconnect }

  /// A central that will look for the device that advertises `name`.
  init(_ name: String, _ options: [String: any Sendable]) {
    self.name = name
    super.init()
    queue.sync { manager = CBCentralManager(delegate: self, queue: queue, options: options) }
  }

  /// The UUIDs of what the device has.
  var known: [String] { queue.sync { characteristics.keys.sorted() } }

  /// Connects, and discovers all; again, if the device has changed its services meanwhile.
  func connect() async -> Outcome {
    await perform(.connect) { [self] in
      guard !isConnected else { return peripheral?.discoverServices(nil) ?? () }
      isConnecting = true
      guard manager?.state == .poweredOn else { return }
      proceed()
    }
  }

  func subscribe(_ uuid: String) async -> Outcome {
    await perform(.subscribe, uuid) { [self] in
      guard let found = characteristics[uuid] else { return finish(.lost) }
      peripheral?.setNotifyValue(true, for: found)
    }
  }

  func write(_ value: [UInt8], to uuid: String) async -> Outcome {
    await perform(.write, uuid) { [self] in
      guard let found = characteristics[uuid] else { return finish(.lost) }
      peripheral?.writeValue(Data(value), for: found, type: .withResponse)
    }
  }

  /// Writes a value and waits for nothing.
  func throwAway(_ value: [UInt8], to uuid: String) {
    queue.async { [self] in
      guard isConnected, let found = characteristics[uuid], found.properties.contains(.writeWithoutResponse) else {
        return
      }
      peripheral?.writeValue(Data(value), for: found, type: .withoutResponse)
    }
  }

  func read(_ uuid: String) async -> Outcome {
    await perform(.read, uuid) { [self] in
      guard let found = characteristics[uuid] else { return finish(.lost) }
      peripheral?.readValue(for: found)
    }
  }

  /// The next value that was notified.
  func notification(of uuid: String) async -> Outcome {
    await perform(.notification, uuid) { [self] in takeNotification(uuid) }
  }

  /// How many values were notified and not asked for.
  var notifications: Int { queue.sync { notified.values.reduce(0) { $0 + $1.count } } }

  /// Forgets what was notified and not asked for.
  func forgetNotifications() { queue.sync { notified = [:] } }

  /// Ends the link.
  func disconnect() async {
    _ = await perform(.disconnect) { [self] in
      guard let peripheral, isConnected else { return finish(.done([])) }
      manager?.cancelPeripheralConnection(peripheral)
    }
  }

  private func perform(_ kind: Call, _ uuid: String = "", _ body: @escaping @Sendable () -> Void) async -> Outcome {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        waiting = continuation
        call = (kind, uuid)
        guard isConnected || kind == .connect else { return finish(kind == .disconnect ? .done([]) : .lost) }
        body()
      }
    }
  }

  private func finish(_ outcome: Outcome) {
    waiting?.resume(returning: outcome)
    waiting = nil
    call = nil
  }

  private func finish(_ kind: Call, _ uuid: String = "", _ outcome: Outcome) {
    guard let call, call.kind == kind, call.uuid == uuid else { return }
    finish(outcome)
  }

  private func takeNotification(_ uuid: String) {
    guard let call, call.kind == .notification, call.uuid == uuid, var values = notified[uuid], !values.isEmpty else {
      return
    }
    let value = values.removeFirst()
    notified[uuid] = values
    finish(.done(value))
  }

  private func proceed() {
    guard isConnecting else { return }
    if let peripheral {
      manager?.connect(peripheral, options: nil)
    } else {
      manager?.scanForPeripherals(withServices: nil, options: nil)
    }
  }

  private func lost() {
    isConnected = false
    isConnecting = false
    characteristics = [:]
    notified = [:]
    if let call { finish(call.kind == .disconnect ? .done([]) : .lost) }
  }

  private static func outcome(_ error: (any Error)?, _ value: [UInt8] = []) -> Outcome {
    guard let error else { return .done(value) }
    return (error as? CBATTError).map { .refused($0.code) } ?? .lost
  }
}

extension ProbingCentral: CBCentralManagerDelegate, CBPeripheralDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { proceed() } else { lost() }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard self.peripheral == nil, advertisementData[CBAdvertisementDataLocalNameKey] as? String == name else { return }
    self.peripheral = peripheral
    peripheral.delegate = self
    central.stopScan()
    proceed()
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    isConnected = true
    isConnecting = false
    peripheral.discoverServices(nil)
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    lost()
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    lost()
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    let services = peripheral.services ?? []
    characteristics = [:]
    undiscovered = Set(services.map { ObjectIdentifier($0) })
    guard !services.isEmpty else { return finish(.connect, "", .lost) }
    for service in services { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    for found in service.characteristics ?? [] { characteristics[found.uuid.uuidString] = found }
    undiscovered.remove(ObjectIdentifier(service))
    if undiscovered.isEmpty { finish(.connect, "", .done([])) }
  }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    // What was known is gone; the test connects anew.
    characteristics = [:]
    if let call, call.kind != .connect, call.kind != .disconnect { finish(.lost) }
    if call?.kind == .connect { peripheral.discoverServices(nil) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    finish(.subscribe, characteristic.uuid.uuidString, Self.outcome(error))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    let uuid = characteristic.uuid.uuidString
    let value = [UInt8](characteristic.value ?? Data())
    if let call, call.kind == .read, call.uuid == uuid { return finish(Self.outcome(error, value)) }
    notified[uuid, default: []].append(value)
    takeNotification(uuid)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    finish(.write, characteristic.uuid.uuidString, Self.outcome(error))
  }
}
