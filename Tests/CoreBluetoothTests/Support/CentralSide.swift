import CoreBluetooth
import Testing

/// A central manager on a queue of its own, whose callbacks a test waits for.
final class CentralSide: NSObject, @unchecked Sendable {
  enum Event {
    case state(CBManagerState)
    case discovered(CBPeripheral, [String: Any], NSNumber)
    case connected(CBPeripheral)
    case failedToConnect(CBPeripheral, (any Error)?)
    case disconnected(CBPeripheral, (any Error)?)
    /// A connection was lost and is requested again.
    case reconnecting(CBPeripheral, (any Error)?)
    case connectionEvent(CBConnectionEvent, CBPeripheral)
    case channel(CBL2CAPChannel?, (any Error)?)
    case services((any Error)?)
    case includedServices(CBService, (any Error)?)
    case characteristics(CBService, (any Error)?)
    case descriptors(CBCharacteristic, (any Error)?)
    /// The value as it was in the callback.
    case value(CBCharacteristic, Data?, (any Error)?)
    case written(CBCharacteristic, (any Error)?)
    case notification(CBCharacteristic, Bool, (any Error)?)
    case descriptorValue(CBDescriptor, Any?, (any Error)?)
    case descriptorWritten(CBDescriptor, (any Error)?)
    case modified([CBService])
    case rssi(NSNumber, (any Error)?)
    case name(String?)
    case ready
  }

  let log = EventLog<Event>()
  let queue = DispatchQueue(label: "central")
  private(set) var manager: CBCentralManager!
  /// What `willRestoreState` got, and the state of the manager and of its peripherals then.
  let restored = EventLog<[String: Any]>()
  private(set) var stateWhenRestored: CBManagerState?
  private(set) var restoredPeripherals: [CBPeripheralState] = []
  /// Whether the log retains what was restored.
  var retainsRestored = true
  /// Runs inside callbacks, after they were logged.
  var reaction: ((Event) -> Void)?

  static let queueKey = DispatchSpecificKey<Bool>()

  init(_ options: [String: Any]) {
    super.init()
    queue.setSpecific(key: Self.queueKey, value: true)
    manager = CBCentralManager(delegate: self, queue: queue, options: options)
  }

  /// Lets go of the manager.
  func dropManager() { manager = nil }

  func isPoweredOn() async throws {
    try await log.first { event in
      if case .state(.poweredOn) = event { return () }
      return nil
    }
  }

  /// Scans until a peripheral of that name is found.
  func find(_ name: String, services: [CBUUID]? = nil) async throws -> CBPeripheral {
    manager.scanForPeripherals(withServices: services)
    let peripheral: CBPeripheral = try await log.first { event in
      guard case .discovered(let peripheral, let data, _) = event,
        data[CBAdvertisementDataLocalNameKey] as? String == name
      else { return nil }
      return peripheral
    }
    manager.stopScan()
    peripheral.delegate = self
    return peripheral
  }

  func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) async throws {
    peripheral.delegate = self
    manager.connect(peripheral, options: options)
    try await isConnected(to: peripheral)
  }

  func isConnected(to peripheral: CBPeripheral) async throws {
    try await log.first { event in
      if case .connected(peripheral) = event { return () }
      return nil
    }
  }

  func disconnection() async throws -> (any Error)? {
    try await log.first { event -> (any Error)?? in
      if case .disconnected(_, let error) = event { return .some(error) }
      return nil
    }
  }

  func discoverServices(_ uuids: [CBUUID]?, of peripheral: CBPeripheral) async throws {
    peripheral.discoverServices(uuids)
    let error = try await log.first { event -> (any Error)?? in
      if case .services(let error) = event { return .some(error) }
      return nil
    }
    if let error { throw error }
  }

  /// Discovers a service with its characteristics, by UUID.
  func discover(_ service: String, of peripheral: CBPeripheral) async throws -> [String: CBCharacteristic] {
    try await discoverServices([CBUUID(string: service)], of: peripheral)
    let found = try #require(peripheral.services?.first { $0.uuid == CBUUID(string: service) })
    peripheral.discoverCharacteristics(nil, for: found)
    let error = try await log.first { event -> (any Error)?? in
      if case .characteristics(found, let error) = event { return .some(error) }
      return nil
    }
    if let error { throw error }
    return Dictionary((found.characteristics ?? []).map { ($0.uuid.uuidString, $0) }) { first, _ in first }
  }

  func discoverDescriptors(_ characteristic: CBCharacteristic, of peripheral: CBPeripheral) async throws {
    peripheral.discoverDescriptors(for: characteristic)
    try await log.first { event in
      if case .descriptors(characteristic, _) = event { return () }
      return nil
    }
  }

  /// The next value of a characteristic.
  func value(_ characteristic: CBCharacteristic) async throws -> Data? {
    let (value, error) = try await log.first { event -> (Data?, (any Error)?)? in
      if case .value(characteristic, let value, let error) = event { return (value, error) }
      return nil
    }
    if let error { throw error }
    return value
  }

  func read(_ characteristic: CBCharacteristic, of peripheral: CBPeripheral) async throws -> Data? {
    peripheral.readValue(for: characteristic)
    return try await value(characteristic)
  }

  func write(_ value: Data, to characteristic: CBCharacteristic, of peripheral: CBPeripheral) async throws {
    peripheral.writeValue(value, for: characteristic, type: .withResponse)
    let error = try await log.first { event -> (any Error)?? in
      if case .written(characteristic, let error) = event { return .some(error) }
      return nil
    }
    if let error { throw error }
  }

  func setNotify(_ enabled: Bool, _ characteristic: CBCharacteristic, of peripheral: CBPeripheral) async throws {
    peripheral.setNotifyValue(enabled, for: characteristic)
    let error = try await log.first { event -> (any Error)?? in
      if case .notification(characteristic, _, let error) = event { return .some(error) }
      return nil
    }
    if let error { throw error }
  }

  private func note(_ event: Event) {
    log.add(event)
    reaction?(event)
  }
}

extension CentralSide: CBCentralManagerDelegate {
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    stateWhenRestored = central.state
    let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral]
    restoredPeripherals = (peripherals ?? []).map(\.state)
    restored.add(retainsRestored ? dict : [:])
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { note(.state(central.state)) }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) { note(.discovered(peripheral, advertisementData, RSSI)) }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { note(.connected(peripheral)) }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    note(.failedToConnect(peripheral, error))
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { note(.disconnected(peripheral, error)) }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {
    guard isReconnecting else { return centralManager(central, didDisconnectPeripheral: peripheral, error: error) }
    note(.reconnecting(peripheral, error))
  }

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) { note(.connectionEvent(event, peripheral)) }
}

extension CentralSide: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { note(.services(error)) }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?) {
    note(.includedServices(service, error))
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    note(.characteristics(service, error))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note(.descriptors(characteristic, error)) }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    note(.value(characteristic, characteristic.value, error))
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    note(.written(characteristic, error))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note(.notification(characteristic, characteristic.isNotifying, error)) }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note(.descriptorValue(descriptor, descriptor.value, error))
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note(.descriptorWritten(descriptor, error))
  }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    note(.modified(invalidatedServices))
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    note(.rssi(RSSI, error))
  }

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { note(.name(peripheral.name)) }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { note(.ready) }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    note(.channel(channel, error))
  }
}
