import CoreBluetooth
import LatchkeyBluetoothTransports
import LatchkeyProvisioningProtocol

/// Runs `LegacyProvisioningMachine` with a central manager of its own, for one attempt.
///
/// It retains itself from `start` until the machine has finished. Unchecked: all of its state belongs to `queue`, which is
/// also the manager's queue; only `start` and `cancel` are called from elsewhere, and they hop to it.
final class CentralOperation: NSObject, @unchecked Sendable {
  private let queue = DispatchQueue(label: "latchkey.provisioning.app")
  private let managerOptions: [String: any Sendable]
  private var machine: LegacyProvisioningMachine
  private var actions: ArraySlice<LegacyProvisioningMachine.Action> = []
  private var isActing = false
  private var timer: DeadlineTimer
  private var reporter: AttemptReporter?
  /// The operation itself, until the machine has finished.
  private var keepAlive: CentralOperation?
  private var manager: CBCentralManager?
  /// The peripheral whose advertisement is examined, then the one that is connected.
  private var peripheral: CBPeripheral?
  private var services: [LegacyService: CBService] = [:]
  private var writer: RequestWriter?
  private var request: CBCharacteristic?
  private var answer: CBCharacteristic?

  init(
    _ machine: consuming LegacyProvisioningMachine, scheduler: any Scheduler, managerOptions: [String: any Sendable]
  ) {
    self.machine = machine
    timer = DeadlineTimer(scheduler, queue: queue)
    self.managerOptions = managerOptions
  }

  func start(reporting reporter: AttemptReporter) {
    queue.async { [self] in
      self.reporter = reporter
      keepAlive = self
      manager = CBCentralManager(delegate: self, queue: queue, options: managerOptions)
      arm()
    }
  }

  func cancel() {
    queue.async { [self] in
      handle(.cancelled)
    }
  }

  // MARK: Inputs

  private func handle(_ input: LegacyProvisioningMachine.Input) {
    guard reporter != nil else { return }
    actions += machine.handle(input, now: timer.now)
    act()
  }

  private func timerFired() {
    timer.fired()
    guard reporter != nil else { return }
    actions += machine.handleTimeout(now: timer.now)
    act()
  }

  private func arm() {
    // Weak: a timer that is not due before the end does not retain the payload.
    timer.arm(machine.nextDeadline) { [weak self] in self?.timerFired() }
  }

  private func handle(_ step: RequestWriter.Step?) {
    switch step {
    case .done(let values): handle(.sent(values: values))
    case .tooLong(let maximum): handle(.payloadTooLong(maximum: maximum))
    case .underway, nil: break
    }
  }

  /// The failure that the machine gets; nil for a lost link, which the manager reports next.
  private static func failure(_ error: any Error) -> LegacyProvisioningMachine.AccessFailure? {
    switch error {
    case let error as CBATTError:
      return UInt8(exactly: error.code.rawValue).map { .attribute($0) } ?? .other(error.localizedDescription)
    case CBError.peripheralDisconnected, CBError.notConnected, CBError.connectionTimeout: return nil
    default: return .other(error.localizedDescription)
    }
  }

  // MARK: Actions

  private func act() {
    // An action may cause the next input, as a write without response does: its actions follow those of this input.
    guard !isActing else { return }
    isActing = true
    while let action = actions.popFirst() { act(action) }
    isActing = false
    arm()
  }

  private func act(_ action: LegacyProvisioningMachine.Action) {
    switch action {
    case .scan: manager?.scanForPeripherals(withServices: nil, options: nil)
    case .stopScan: manager?.stopScan()
    case .connect:
      peripheral?.delegate = self
      if let peripheral { manager?.connect(peripheral, options: nil) }
    case .discoverServices(let services): peripheral?.discoverServices(services.map(\.uuid))
    case .discoverCharacteristics(let service):
      guard let found = services[service] else { return }
      peripheral?.discoverCharacteristics([service.request.uuid, service.answer.uuid], for: found)
    case .subscribe: if let answer { peripheral?.setNotifyValue(true, for: answer) }
    case .send(let bytes, let uncut):
      guard let peripheral else { return }
      handle(writer?.write(bytes, uncut: uncut, to: peripheral))
    case .read: if let answer { peripheral?.readValue(for: answer) }
    case .cancelConnection: if let peripheral { manager?.cancelPeripheralConnection(peripheral) }
    case .report(let progress): reporter?.report(progress)
    case .finish(let result): finish(result)
    }
  }

  private func finish(_ result: AttemptReporter.Outcome) {
    peripheral?.delegate = nil
    manager?.delegate = nil
    manager = nil
    peripheral = nil
    (writer, request, answer) = (nil, nil, nil)
    services = [:]
    reporter?.end(result)
    reporter = nil
    keepAlive = nil
  }
}

extension CentralOperation: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    handle(.state(central.state, cause: central.reasonOfLoss))
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    let candidate = self.peripheral
    self.peripheral = peripheral
    let advertised = advertisementData[CBAdvertisementDataLocalNameKey] as? String
    let wasSearching = machine.isSearching
    handle(.found(peripheral.identifier, name: advertised ?? peripheral.name))
    // It is not the target, or the target was found before: nothing changes.
    if machine.isSearching || !wasSearching { self.peripheral = candidate }
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    handle(.connected)
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    handle(.connectionFailed(error?.localizedDescription ?? "no reason given"))
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    handle(.disconnected)
  }
}

extension CentralOperation: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    if let error { return discoveryFailed(error) }
    for service in LegacyService.allCases {
      services[service] = peripheral.services?.first { $0.uuid == service.uuid }
    }
    handle(.services(Array(services.keys)))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    if let error { return discoveryFailed(error) }
    var properties: [LegacyCharacteristic: CBCharacteristicProperties] = [:]
    for characteristic in LegacyCharacteristic.allCases {
      guard let found = service.characteristics?.first(where: { $0.uuid == characteristic.uuid }) else { continue }
      properties[characteristic] = found.properties
      switch characteristic {
      case .plainRequest, .encryptedRequest:
        request = found
        writer = RequestWriter(found)
      case .plainAnswer, .encryptedAnswer: answer = found
      }
    }
    handle(.characteristics(properties))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard let error else { return handle(.subscribed) }
    if let failure = Self.failure(error) { handle(.subscriptionFailed(failure)) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard characteristic === answer else { return }
    if let error {
      if let failure = Self.failure(error) { handle(.readFailed(failure)) }
      return
    }
    handle(.value([UInt8](characteristic.value ?? Data()), limit: RequestWriter.limit(of: peripheral)))
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    guard characteristic === request else { return }
    if let error {
      if let failure = Self.failure(error) { handle(.sendFailed(failure)) }
      return
    }
    handle(writer?.answered(by: peripheral))
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
    handle(writer?.ready(peripheral))
  }

  private func discoveryFailed(_ error: any Error) {
    if Self.failure(error) != nil { handle(.discoveryFailed(error.localizedDescription)) }
  }
}
