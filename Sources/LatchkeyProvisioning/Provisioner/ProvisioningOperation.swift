import CoreBluetooth
import LatchkeyBluetoothTransports
import LatchkeyProvisioningProtocol

/// Runs `AppConnection` with a central manager of its own, for one session.
///
/// It retains itself from `start` until the connection has finished. Unchecked: all of its state belongs to `queue`, which is
/// also the manager's queue; what is called from elsewhere hops to it.
final class ProvisioningOperation: NSObject, @unchecked Sendable {
  typealias Answer = @Sendable (Result<AppAnswer, ProvisioningFailure>) -> Void

  let opened = Promise<Result<OpenedSession, ProvisioningFailure>>()
  let ended = Promise<Void>()

  /// The number of requests that may wait.
  private static let maximumRequests = 64

  private let queue = DispatchQueue(label: "latchkey.provisioning.session")
  private let identifier: UUID
  private let known: any KnownDeviceStore
  private let progress: AsyncStream<ProvisioningProgress>.Continuation
  private var connection: AppConnection
  private var timer: DeadlineTimer
  private var waiting: [(request: AppRequest, answer: Answer)] = []
  private var underWay: Answer?
  private var isOpen = false
  private var isActing = false
  private var isOver = false
  private var keepAlive: ProvisioningOperation?
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?
  private var gatt: DiscoveredService?
  /// The reads that wait for their values, by characteristic: a notification tells by nothing that it is none.
  private var reads: [String: Int] = [:]
  /// The writes, with response and without, that wait for their turn: one that waits for its response, or for the link to take more,
  /// holds back those behind it, for a device reads them as one stream.
  private var writes: ArraySlice<(characteristic: String, value: [UInt8], withResponse: Bool)> = []
  private var awaitsResponse = false

  init(
    _ connection: AppConnection, to identifier: UUID, known: any KnownDeviceStore, scheduler: any Scheduler,
    progress: AsyncStream<ProvisioningProgress>.Continuation
  ) {
    self.connection = connection
    self.identifier = identifier
    self.known = known
    self.progress = progress
    timer = DeadlineTimer(scheduler, queue: queue)
  }

  func start(managerOptions: [String: any Sendable]) {
    queue.async { [self] in
      keepAlive = self
      manager = CBCentralManager(delegate: self, queue: queue, options: managerOptions)
      act()
    }
  }

  func cancel() { queue.async { [self] in handle(.cancel) } }

  func close() { queue.async { [self] in handle(.close) } }

  func perform(_ request: AppRequest, answer: @escaping Answer) {
    queue.async { [self] in
      guard !isOver else { return answer(.failure(.disconnected)) }
      guard waiting.count < Self.maximumRequests else { return answer(.failure(.busy)) }
      waiting.append((request, answer))
      performNext()
    }
  }

  private func performNext() {
    guard isOpen, underWay == nil, let next = waiting.first else { return }
    waiting.removeFirst()
    underWay = next.answer
    handle(.request(next.request))
  }

  // MARK: Inputs

  private var context: AppContext {
    AppContext(now: timer.now, writeLimit: peripheral.map { RequestWriter.limit(of: $0) } ?? 20)
  }

  private func handle(_ input: AppConnection.Input) {
    guard !isOver else { return }
    connection.handle(input, context: context)
    act()
  }

  private func timerFired() {
    timer.fired()
    guard !isOver else { return }
    connection.handleTimeout(context: context)
    act()
  }

  // MARK: Actions

  private func act() {
    // An action may cause the next input: its actions follow those of this input.
    guard !isActing else { return }
    isActing = true
    var actions = connection.dequeueActions()[...]
    while let action = actions.popFirst() {
      act(action)
      actions += connection.dequeueActions()
    }
    isActing = false
    guard !isOver else { return }
    performNext()
    timer.arm(connection.nextDeadline) { [weak self] in self?.timerFired() }
  }

  private func act(_ action: AppConnection.Action) {
    switch action {
    case .search: search()
    case .stopSearch: manager?.stopScan()
    case .connect:
      peripheral?.delegate = self
      if let peripheral { manager?.connect(peripheral, options: nil) }
    case .discoverServices: peripheral?.discoverServices(nil)
    case .discover(let service, let describes): discover(service, describes: describes)
    case .link(let action): act(action)
    case .progress(let step): progress.yield(step)
    case .remember(let knowledge): remember(knowledge)
    case .opened(let session):
      isOpen = true
      opened.fulfill(.success(session))
    case .answer(let result):
      underWay?(result)
      underWay = nil
    case .disconnect: if let peripheral { manager?.cancelPeripheralConnection(peripheral) }
    case .finish(let failure): finish(failure)
    }
  }

  private func act(_ action: AppAction) {
    guard let peripheral, let gatt else { return }
    switch action {
    case .subscribe(let uuid):
      guard let found = gatt.characteristics[uuid] else { return refuse(.subscriptionFailed(uuid, Self.missing)) }
      peripheral.setNotifyValue(true, for: found)
    case .read(let uuid):
      guard let found = gatt.characteristics[uuid] else { return refuse(.readFailed(uuid, Self.missing)) }
      reads[uuid, default: 0] += 1
      peripheral.readValue(for: found)
    case .write(let uuid, let value, let withResponse):
      guard gatt.characteristics[uuid] != nil else { return refuse(.writeFailed(uuid, Self.missing)) }
      writes.append((uuid, value, withResponse))
      write()
    case .report: break
    }
  }

  private static let missing = AccessFailure.other("the device has no such characteristic")

  private func remember(_ knowledge: AppKnowledge) {
    let device = KnownDevice(
      deviceID: Data(knowledge.deviceIdentifier), resumption: knowledge.resumption.map { Data($0) })
    do {
      try known.store(device, identifier)
    } catch {
      progress.yield(.notRemembered("\(error)"))
    }
  }

  private func refuse(_ input: AppInput) { handle(.link(input)) }

  private func write() {
    while let peripheral, let next = writes.first, !awaitsResponse {
      guard next.withResponse || peripheral.canSendWriteWithoutResponse else { return }
      writes.removeFirst()
      guard let found = gatt?.characteristics[next.characteristic] else { continue }
      awaitsResponse = next.withResponse
      peripheral.writeValue(Data(next.value), for: found, type: next.withResponse ? .withResponse : .withoutResponse)
      if !next.withResponse { handle(.link(.wrote(next.characteristic))) }
    }
  }

  private func search() {
    guard let manager else { return }
    if let known = manager.retrievePeripherals(withIdentifiers: [identifier]).first {
      peripheral = known
      handle(.found)
    } else {
      manager.scanForPeripherals(withServices: nil, options: nil)
    }
  }

  private func discover(_ service: String, describes: Bool) {
    guard let peripheral, let found = peripheral.services?.first(where: { $0.uuid.uuidString == service }) else {
      return handle(.discoveryFailed("the service is gone"))
    }
    gatt = DiscoveredService(found, describes: describes)
    peripheral.discoverCharacteristics(nil, for: found)
  }

  private func finish(_ failure: ProvisioningFailure?) {
    isOver = true
    peripheral?.delegate = nil
    manager?.delegate = nil
    manager = nil
    peripheral = nil
    gatt = nil
    writes = []
    opened.fulfill(.failure(failure ?? .cancelled))
    let rest = waiting
    waiting = []
    for (_, answer) in rest { answer(.failure(failure ?? .disconnected)) }
    underWay?(.failure(failure ?? .disconnected))
    underWay = nil
    progress.finish()
    ended.fulfill(())
    keepAlive = nil
  }

  /// The failure that the machine gets; nil for a lost link, which the manager reports next.
  private static func failure(_ error: any Error) -> AccessFailure? {
    switch error {
    case let error as CBATTError:
      return UInt8(exactly: error.code.rawValue).map { .attribute($0) } ?? .other(error.localizedDescription)
    case CBError.peripheralDisconnected, CBError.notConnected, CBError.connectionTimeout: return nil
    default: return .other(error.localizedDescription)
    }
  }
}

extension ProvisioningOperation: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    handle(.state(central.state, cause: central.reasonOfLoss))
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard peripheral.identifier == identifier, self.peripheral == nil else { return }
    self.peripheral = peripheral
    handle(.found)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { handle(.connected) }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    handle(.connectionFailed(error?.localizedDescription ?? "no reason given"))
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    handle(.disconnected)
  }
}

extension ProvisioningOperation: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    if let error { return discoveryFailed(error) }
    handle(.services(peripheral.services?.map(\.uuid.uuidString) ?? []))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    if let error { return discoveryFailed(error) }
    guard service === gatt?.service else { return }
    gatt?.discovered(on: peripheral)
    reportDiscovery()
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if let error { return discoveryFailed(error) }
    gatt?.discoveredDescriptors(of: characteristic, on: peripheral)
    reportDiscovery()
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    if let error { return discoveryFailed(error) }
    gatt?.read(descriptor)
    reportDiscovery()
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    let uuid = characteristic.uuid.uuidString
    guard let error else { return handle(.link(.subscribed(uuid))) }
    if let failure = Self.failure(error) { handle(.link(.subscriptionFailed(uuid, failure))) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    let uuid = characteristic.uuid.uuidString
    let isRead = reads[uuid, default: 0] > 0
    if isRead { reads[uuid, default: 0] -= 1 }
    if let error {
      if let failure = Self.failure(error) { handle(.link(.readFailed(uuid, failure))) }
      return
    }
    let value = [UInt8](characteristic.value ?? Data())
    handle(.link(isRead ? .read(uuid, value) : .notified(uuid, value)))
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    let uuid = characteristic.uuid.uuidString
    awaitsResponse = false
    if let error {
      // What stood behind a write that was refused belongs to it.
      writes = []
      if let failure = Self.failure(error) { handle(.link(.writeFailed(uuid, failure))) }
    } else {
      handle(.link(.wrote(uuid)))
    }
    write()
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { write() }

  private func discoveryFailed(_ error: any Error) {
    if Self.failure(error) != nil { handle(.discoveryFailed(error.localizedDescription)) }
  }

  private func reportDiscovery() {
    guard let description = gatt?.description else { return }
    handle(.discovered(description))
  }
}
