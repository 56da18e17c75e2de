import CoreBluetooth
import Foundation

/// An app as apps are: it finds a device by a service, connects, discovers everything, and remembers what it is told. It
/// knows nothing of radios.
final class App: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  let queue: DispatchQueue?
  private let lock = NSLock()
  private var lines: [String] = []
  private var values: [(uuid: String, value: Data)] = []
  private var found: [CBPeripheral] = []
  private var characteristicsByUUID: [String: CBCharacteristic] = [:]
  private var manager: CBCentralManager?
  private var service: CBUUID?
  /// Whether it connects to the first device that it finds.
  var connects = true
  /// Whom the app asks when devices pair.
  var agent: (any CBPairingAgent)?
  /// Runs on the app's queue when a value comes.
  var onValue: ((App, CBCharacteristic) -> Void)?
  /// The radio's time at each value, for tests that look at it.
  var now: () -> Duration = { .zero }
  private var times: [Duration] = []
  private var whenDiscovered: ((App) -> Void)?

  init(queue: DispatchQueue? = DispatchQueue(label: "app")) { self.queue = queue }

  /// Begins, as an app does at its launch.
  func start(service: String? = nil) {
    self.service = service.map { CBUUID(string: $0) }
    manager = CBCentralManager(
      delegate: self, queue: queue, options: agent.map { [CBManagerOptionPairingAgentKey: $0] })
  }

  func stop() { manager = nil }

  // MARK: What it knows

  var log: [String] { lock.withLock { lines } }
  var peripheral: CBPeripheral? { lock.withLock { found.first } }
  var peripherals: [CBPeripheral] { lock.withLock { found } }
  var isReady: Bool { log.contains("ready") }
  var valueTimes: [Duration] { lock.withLock { times } }

  /// The values that came for a characteristic, in order.
  func values(of uuid: String) -> [Data] { lock.withLock { values.filter { $0.uuid == uuid }.map(\.value) } }

  func characteristic(_ uuid: String) -> CBCharacteristic? { lock.withLock { characteristicsByUUID[uuid] } }

  func clear() {
    lock.withLock {
      lines = []
      values = []
    }
  }

  private func note(_ line: String) { lock.withLock { lines.append(line) } }

  // MARK: What it does

  /// Calls a closure as soon as the device is discovered: now, or then.
  func whenReady(_ body: @escaping (App) -> Void) {
    let isReady = lock.withLock {
      let isReady = lines.contains("ready")
      if !isReady { whenDiscovered = body }
      return isReady
    }
    if isReady { body(self) }
  }

  func read(_ uuid: String) {
    if let characteristic = characteristic(uuid) { peripheral?.readValue(for: characteristic) }
  }

  func write(_ bytes: [UInt8], to uuid: String, type: CBCharacteristicWriteType = .withResponse) {
    if let characteristic = characteristic(uuid) {
      peripheral?.writeValue(Data(bytes), for: characteristic, type: type)
    }
  }

  func subscribe(_ uuid: String, _ enabled: Bool = true) {
    if let characteristic = characteristic(uuid) { peripheral?.setNotifyValue(enabled, for: characteristic) }
  }

  func disconnect() {
    if let peripheral { manager?.cancelPeripheralConnection(peripheral) }
  }

  func connect() {
    if let peripheral { manager?.connect(peripheral) }
  }

  func scan(duplicates: Bool = false) {
    manager?.scanForPeripherals(
      withServices: service.map { [$0] }, options: [CBCentralManagerScanOptionAllowDuplicatesKey: duplicates])
  }

  // MARK: Callbacks

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    note("state \(central.state.rawValue)")
    if central.state == .poweredOn { scan() }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    note("found \(advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? "?") \(RSSI)")
    let isFirst = lock.withLock {
      if !found.contains(peripheral) { found.append(peripheral) }
      return found.first == peripheral
    }
    guard connects, isFirst else { return }
    central.stopScan()
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    note("connected")
    peripheral.delegate = self
    peripheral.discoverServices(nil)
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    note("not connected \((error as? CBError)?.code.rawValue ?? -1)")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    note("disconnected \((error as? CBError)?.code.rawValue ?? -1)")
  }

  private var undiscovered = 0

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    let services = peripheral.services ?? []
    undiscovered = services.count
    for service in services { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    lock.withLock {
      for characteristic in service.characteristics ?? [] {
        characteristicsByUUID[characteristic.uuid.uuidString] = characteristic
      }
    }
    undiscovered -= 1
    guard undiscovered == 0 else { return }
    let body = lock.withLock {
      lines.append("ready")
      defer { whenDiscovered = nil }
      return whenDiscovered
    }
    body?(self)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    let uuid = characteristic.uuid.uuidString
    if let error { return note("no value \(uuid) \(Self.code(error))") }
    let time = now()
    lock.withLock {
      values.append((uuid, characteristic.value ?? Data()))
      times.append(time)
    }
    onValue?(self, characteristic)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    note("written \(characteristic.uuid.uuidString) \(error.map(Self.code) ?? 0)")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    note("subscribed \(characteristic.uuid.uuidString) \(characteristic.isNotifying) \(error.map(Self.code) ?? 0)")
  }

  /// An ATT error's code, or, of Core Bluetooth's own errors, 1000 and the code.
  private static func code(_ error: any Error) -> Int {
    (error as? CBATTError).map { $0.code.rawValue } ?? (error as? CBError).map { 1000 + $0.code.rawValue } ?? -1
  }
}
