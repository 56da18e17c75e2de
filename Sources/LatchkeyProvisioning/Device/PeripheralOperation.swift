import CoreBluetooth
import LatchkeyBluetoothTransports
import LatchkeyProvisioningProtocol

/// Runs `LegacyDeviceMachine` with a peripheral manager of its own, for one run of the device.
///
/// Unchecked: all of its state belongs to `queue`, which is also the manager's queue; only `start`, `stop` and the handler's
/// answers are called from elsewhere, and they hop to it.
final class PeripheralOperation: NSObject, @unchecked Sendable {
  let result = Promise<Result<Void, LegacyDeviceError>>()

  private let queue = DispatchQueue(label: "latchkey.provisioning.device")
  private let name: String
  private let offered: [LegacyService]
  private let handler: LegacyUnauthenticatedDevice.Handler
  private let report: @Sendable (LegacyUnauthenticatedDeviceEvent) -> Void
  private var generator: any RandomNumberGenerator
  private var machine: LegacyDeviceMachine
  private var timer: DeadlineTimer
  private var outbox = AnswerOutbox<LegacyDevicePeer, LegacyService>()
  private var work: [LegacyDevicePeer: Task<Void, Never>] = [:]
  private var answers: [LegacyService: CBMutableCharacteristic] = [:]
  /// The number of services that are still to be added; nil until the first one after the radio was switched on.
  private var servicesToAdd: Int?
  /// Whether the radio has been on.
  private var hasHadRadio = false
  private var isOver = false
  private var manager: CBPeripheralManager?

  init(
    name: String, options: LegacyDeviceOptions, scheduler: any Scheduler, generator: any RandomNumberGenerator,
    handler: @escaping LegacyUnauthenticatedDevice.Handler,
    report: @escaping @Sendable (LegacyUnauthenticatedDeviceEvent) -> Void
  ) {
    self.name = name
    timer = DeadlineTimer(scheduler, queue: queue)
    self.generator = generator
    self.handler = handler
    self.report = report
    offered = options.allowsPlainService ? [.encrypted, .plain] : [.encrypted]
    machine = LegacyDeviceMachine(options: options)
  }

  func start(managerOptions: [String: any Sendable]) {
    queue.async { [self] in
      // The task may have been canceled before this runs.
      guard !isOver else { return }
      manager = CBPeripheralManager(delegate: self, queue: queue, options: managerOptions)
    }
  }

  func stop() {
    queue.async { [self] in end(.success(())) }
  }

  private func end(_ outcome: Result<Void, LegacyDeviceError>) {
    guard !isOver else { return }
    isOver = true
    for task in work.values { task.cancel() }
    work = [:]
    if let manager, manager.state == .poweredOn {
      manager.stopAdvertising()
      manager.removeAllServices()
    }
    manager?.delegate = nil
    manager = nil
    answers = [:]
    // The keys are erased with the machine that holds them.
    machine = LegacyDeviceMachine(options: LegacyDeviceOptions())
    result.fulfill(outcome)
  }

  // MARK: The machine's actions

  private func act() {
    for action in machine.dequeueActions() { act(action) }
    flush()
    timer.arm(machine.nextDeadline) { [weak self] in self?.timerFired() }
  }

  private func act(_ action: LegacyDeviceMachine.Action) {
    switch action {
    case .ask(let peer, let number, let bytes): ask(peer, number: number, bytes: bytes)
    case .notify(let peer, let bytes, let uncut): notify(peer, bytes, uncut: uncut)
    case .abandon(let peer):
      work.removeValue(forKey: peer)?.cancel()
      outbox.drop(peer)
    case .report(let event): report(event)
    }
  }

  private func timerFired() {
    guard !isOver else { return }
    timer.fired()
    machine.handleTimeout(now: timer.now)
    act()
  }

  private func ask(_ peer: LegacyDevicePeer, number: Int, bytes: [UInt8]) {
    let request = LegacyUnauthenticatedRequest(central: peer.central, service: peer.service, bytes: bytes) {
      [weak self, queue] answer in
      queue.async { [weak self] in self?.send(answer, to: peer, number: number) }
    }
    work[peer] = Task { [weak self, queue, handler] in
      let answers = await handler(request)
      queue.async { [weak self] in self?.handled(answers, peer: peer, number: number) }
    }
  }

  private func send(_ answer: LegacyUnauthenticatedAnswer, to peer: LegacyDevicePeer, number: Int) {
    guard !isOver else { return }
    machine.answer(answer, to: peer, number: number, now: timer.now)
    act()
  }

  private func handled(_ answers: [LegacyUnauthenticatedAnswer], peer: LegacyDevicePeer, number: Int) {
    guard !isOver else { return }
    for answer in answers { machine.answer(answer, to: peer, number: number, now: timer.now) }
    machine.handled(peer, number: number)
    act()
  }

  // MARK: Notifications

  private func notify(_ peer: LegacyDevicePeer, _ bytes: [UInt8], uncut: Bool) {
    let subscribers = answers[peer.service]?.subscribedCentrals ?? []
    // A central without a subscription reads.
    guard let central = subscribers.first(where: { LegacyDevicePeer($0, peer.service) == peer }) else { return }
    let limit = central.maximumUpdateValueLength
    let values = uncut ? [bytes] : LegacyFrame.values(of: bytes, maximumLength: limit)
    if !outbox.append(values, for: peer, by: peer.service, to: central) { machine.forget(peer) }
  }

  private func flush() {
    guard let manager else { return }
    outbox.flush { value, service, central in
      guard let characteristic = answers[service] else { return true }
      return manager.updateValue(Data(value), for: characteristic, onSubscribedCentrals: [central])
    }
  }
}

extension PeripheralOperation: CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    switch peripheral.state {
    case .poweredOn:
      hasHadRadio = true
      if servicesToAdd == nil { addServices(to: peripheral) } else { advertiseWhenComplete(peripheral) }
    case .unknown: break
    case .resetting:
      // The services are lost with the controller's state, and are added again when it is back.
      servicesToAdd = nil
      answers = [:]
      report(.radioLost)
    // The device waits until a lost radio is back.
    case .poweredOff where hasHadRadio: report(.radioLost)
    default: end(.failure(.radioUnavailable(peripheral.state.name, cause: peripheral.reasonOfLoss)))
    }
  }

  private func addServices(to peripheral: CBPeripheralManager) {
    servicesToAdd = offered.count
    for service in offered { peripheral.add(definition(of: service)) }
  }

  private func advertiseWhenComplete(_ peripheral: CBPeripheralManager) {
    guard servicesToAdd == 0, peripheral.state == .poweredOn else { return }
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: offered.map(\.uuid),
    ])
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    if let error {
      let refused = offered.first { $0.uuid == service.uuid } ?? .encrypted
      return end(.failure(.serviceRefused(refused, error.localizedDescription)))
    }
    servicesToAdd = servicesToAdd.map { $0 - 1 }
    advertiseWhenComplete(peripheral)
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    if let error { return end(.failure(.advertisingFailed(error.localizedDescription))) }
    report(.advertising)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    guard let service = service(ofAnswer: request.characteristic) else {
      return peripheral.respond(to: request, withResult: .readNotPermitted)
    }
    let latest = machine.latest(for: LegacyDevicePeer(request.central, service))
    guard request.offset <= latest.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
    request.value = Data(latest.dropFirst(request.offset))
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard let first = requests.first else { return }
    peripheral.respond(to: first, withResult: receive(requests, from: first.central))
    // The response to the write is first: a central may mistake an earlier notification for an older one.
    act()
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    guard let service = service(ofAnswer: characteristic) else { return }
    report(.subscribed(central.identifier, service))
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    guard let service = service(ofAnswer: characteristic) else { return }
    machine.unsubscribed(LegacyDevicePeer(central, service))
    act()
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    flush()
  }

  private func receive(_ requests: [CBATTRequest], from central: CBCentral) -> CBATTError.Code {
    let now = timer.now
    do {
      for value in try WrittenValues(requests).values {
        guard let service = LegacyService.allCases.first(where: { $0.request.uuid == value.characteristic }) else {
          return .writeNotPermitted
        }
        let peer = LegacyDevicePeer(central, service)
        try machine.receive(value.bytes, from: peer, now: now, using: &generator)
      }
      return .success
    } catch let refusal as LegacyRefusal {
      return CBATTError.Code(rawValue: Int(refusal.rawValue)) ?? .unlikelyError
    } catch let refusal as WrittenValues.Refusal {
      return refusal.code
    } catch {
      return .unlikelyError
    }
  }

  private func definition(of service: LegacyService) -> CBMutableService {
    let request = CBMutableCharacteristic(
      type: service.request.uuid, properties: [.write, .writeWithoutResponse], value: nil, permissions: .writeable)
    let answer = CBMutableCharacteristic(
      type: service.answer.uuid, properties: [.read, .notify], value: nil, permissions: .readable)
    answers[service] = answer
    let definition = CBMutableService(type: service.uuid, primary: true)
    definition.characteristics = [request, answer]
    return definition
  }

  private func service(ofAnswer characteristic: CBCharacteristic) -> LegacyService? {
    offered.first { $0.answer.uuid == characteristic.uuid }
  }
}

extension LegacyDevicePeer {
  /// A central by its present connection.
  fileprivate init(_ central: CBCentral, _ service: LegacyService) {
    // Links are numbered from 1 on.
    self.init(central: central.identifier, service: service, connection: central.connection ?? 0)
  }
}
