import CoreBluetooth
import LatchkeyBluetoothTransports
import LatchkeyProvisioningProtocol

/// Runs `ProvisionableDeviceCore` with a peripheral manager of its own, for one run of the device.
///
/// Unchecked: all of its state belongs to `queue`, which is also the manager's queue; what is called from elsewhere hops to it.
final class ProvisionableDeviceOperation: NSObject, @unchecked Sendable {
  let result = Promise<Result<Void, ProvisionableDeviceError>>()

  private struct LinkKey: Hashable {
    let central: UUID
    let connection: UInt32
  }

  private struct Place: Hashable {
    let link: ProvisioningLink
    let characteristic: String
  }

  private let queue = DispatchQueue(label: "latchkey.provisioning.device")
  private let name: String
  private let worker: DeviceWorker
  private let store: any ProvisionableDeviceStore
  private let report: @Sendable (ProvisionableDeviceEvent) -> Void
  private var core: ProvisionableDeviceCore
  private var timer: DeadlineTimer
  private var outbox = AnswerOutbox<ProvisioningLink, String>()
  private var characteristics: [String: CBMutableCharacteristic] = [:]
  private var links: [LinkKey: ProvisioningLink] = [:]
  private var nextLink: UInt64 = 0
  private var centrals: [ProvisioningLink: CBCentral] = [:]
  /// The write of a link that waits for its answer: the Attribute Protocol has one at a time.
  private var writes: [ProvisioningLink: CBATTRequest] = [:]
  /// The value that a long read began to read: its later parts come from the same.
  private var readValues: [Place: [UInt8]] = [:]
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var joinTask: Task<Void, Never>?
  private var servicesToAdd: Int?
  private var hasHadRadio = false
  /// Whether it was reported that the device can be found, since the radio is on.
  private var hasAdvertised = false
  private var isActing = false
  private var isOver = false
  private var manager: CBPeripheralManager?

  init(
    name: String, core: ProvisionableDeviceCore, worker: DeviceWorker, store: any ProvisionableDeviceStore,
    scheduler: any Scheduler, report: @escaping @Sendable (ProvisionableDeviceEvent) -> Void
  ) {
    self.name = name
    self.core = core
    self.worker = worker
    self.store = store
    self.report = report
    timer = DeadlineTimer(scheduler, queue: queue)
  }

  func start(managerOptions: [String: any Sendable]) {
    queue.async { [self] in
      guard !isOver else { return }
      manager = CBPeripheralManager(delegate: self, queue: queue, options: managerOptions)
    }
  }

  func stop() { queue.async { [self] in end(.success(())) } }

  func press() {
    queue.async { [self] in
      guard !isOver else { return }
      core.press(now: timer.now)
      act()
    }
  }

  private func end(_ outcome: Result<Void, ProvisionableDeviceError>) {
    guard !isOver else { return }
    isOver = true
    for task in tasks.values { task.cancel() }
    joinTask?.cancel()
    tasks = [:]
    if let manager, manager.state == .poweredOn {
      manager.stopAdvertising()
      manager.removeAllServices()
    }
    manager?.delegate = nil
    manager = nil
    characteristics = [:]
    // The keys are erased with the machines that hold them.
    core = ProvisionableDeviceCore(machines: [], state: .init(), rules: core.rules, now: timer.now)
    result.fulfill(outcome)
  }

  // MARK: Actions

  private func act() {
    guard !isActing, !isOver else { return }
    isActing = true
    var actions = core.dequeueActions()[...]
    while let action = actions.popFirst() {
      perform(action, &actions)
      if actions.isEmpty { actions = core.dequeueActions()[...] }
    }
    isActing = false
    flush()
    timer.arm(core.nextDeadline) { [weak self] in self?.timerFired() }
  }

  private func timerFired() {
    guard !isOver else { return }
    timer.fired()
    core.handleTimeout(now: timer.now)
    act()
  }

  private func perform(
    _ action: ProvisionableDeviceCore.Action, _ rest: inout ArraySlice<ProvisionableDeviceCore.Action>
  ) {
    switch action {
    case .respond(let link, let error): respond(link, error)
    case .notify(let link, let characteristic, let value): notify(link, characteristic, value)
    case .work(let number, let work): begin(number, work)
    case .join(let number, let credentials): beginJoin(number, credentials)
    case .cancelJoin: joinTask?.cancel()
    case .advertise(let advertisement): advertise(advertisement)
    case .store(let state): store(state, &rest)
    case .report(let event): report(event)
    }
  }

  /// Nothing that depends on a state that is not stored leaves the device.
  private func store(
    _ state: ProvisionableDeviceState, _ rest: inout ArraySlice<ProvisionableDeviceCore.Action>
  ) {
    do {
      try store.store(state)
      core.storingSucceeded()
    } catch {
      core.storingFailed("\(error)")
      for action in rest {
        switch action {
        case .respond(let link, _): respond(link, UInt8(CBATTError.Code.unlikelyError.rawValue))
        case .report(let event): report(event)
        case .advertise(let advertisement): advertise(advertisement)
        case .notify, .work, .join, .cancelJoin, .store: break
        }
      }
      rest = []
    }
  }

  private func respond(_ link: ProvisioningLink, _ error: UInt8?) {
    guard let request = writes.removeValue(forKey: link) else { return }
    let code = error.map { CBATTError.Code(rawValue: Int($0)) ?? .unlikelyError } ?? .success
    manager?.respond(to: request, withResult: code)
  }

  private func begin(_ number: Int, _ work: DeviceWork) {
    tasks[number] = Task { [weak self, queue, worker] in
      let result = await worker.perform(work)
      queue.async { [weak self] in
        guard let self, !isOver else { return }
        tasks[number] = nil
        core.completed(number, result, now: timer.now)
        act()
      }
    }
  }

  private func beginJoin(_ number: Int, _ credentials: NetworkCredentials) {
    joinTask = Task { [weak self, queue, worker] in
      let result = await worker.join(credentials)
      queue.async { [weak self] in
        guard let self, !isOver else { return }
        core.joinEnded(number, result, now: timer.now)
        act()
      }
    }
  }

  private func advertise(_ advertisement: DeviceAdvertisement?) {
    guard let manager, manager.state == .poweredOn else { return }
    manager.stopAdvertising()
    guard let advertisement else { return }
    var data: [String: Any] = [
      CBAdvertisementDataLocalNameKey: name,
      CBAdvertisementDataServiceUUIDsKey: advertisement.services.map { CBUUID(string: $0) },
    ]
    if let uuid = advertisement.dataUUID {
      let key = CBUUID(data: Data([UInt8(uuid >> 8), UInt8(truncatingIfNeeded: uuid)]))
      data[CBPeripheralManagerAdvertisedDataKey] = AdvertisedData(
        manufacturerData: nil, serviceData: [key: Data(advertisement.data)])
    }
    manager.startAdvertising(data)
  }

  // MARK: Notifications

  private func notify(_ link: ProvisioningLink, _ characteristic: String, _ value: [UInt8]) {
    guard let central = centrals[link], let found = characteristics[characteristic],
      found.subscribedCentrals?.contains(where: { $0.identifier == central.identifier }) == true
    else { return }
    let isQueued = outbox.append([value], for: link, by: characteristic, to: central)
    if !isQueued { forget(link) }
  }

  private func flush() {
    guard let manager else { return }
    outbox.flush { value, uuid, central in
      guard let characteristic = characteristics[uuid] else { return true }
      return manager.updateValue(Data(value), for: characteristic, onSubscribedCentrals: [central])
    }
  }

  // MARK: Links

  /// The link that a central uses now; the one that it used before has ended.
  private func link(of central: CBCentral) -> ProvisioningLink {
    let key = LinkKey(central: central.identifier, connection: central.connection ?? 0)
    let link: ProvisioningLink
    if let known = links[key] {
      link = known
    } else {
      for other in links where other.key.central == key.central { forget(other.value) }
      nextLink += 1
      link = ProvisioningLink(id: nextLink)
      if links.count >= ProvisionableDeviceCore.maximumLinks, let oldest = links.values.min(by: { $0.id < $1.id }) {
        forget(oldest)
      }
      links[key] = link
      centrals[link] = central
    }
    core.connected(
      link, central: central.identifier, notificationLimit: central.maximumUpdateValueLength, now: timer.now)
    return link
  }

  private func forget(_ link: ProvisioningLink) {
    links = links.filter { $0.value != link }
    centrals[link] = nil
    writes[link] = nil
    readValues = readValues.filter { $0.key.link != link }
    outbox.drop(link)
    core.disconnected(link, now: timer.now)
  }
}

extension ProvisionableDeviceOperation: CBDisconnectionDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    switch peripheral.state {
    case .poweredOn:
      hasHadRadio = true
      if servicesToAdd == nil { addServices(to: peripheral) } else { startWhenComplete() }
    case .unknown: break
    case .resetting:
      servicesToAdd = nil
      characteristics = [:]
      hasAdvertised = false
      report(.radioLost)
    // The device waits until a lost radio is back.
    case .poweredOff where hasHadRadio:
      hasAdvertised = false
      report(.radioLost)
    default: end(.failure(.radioUnavailable(peripheral.state.name, cause: peripheral.reasonOfLoss)))
    }
  }

  private func addServices(to peripheral: CBPeripheralManager) {
    let services = core.services
    servicesToAdd = services.count
    for service in services { peripheral.add(definition(of: service)) }
    startWhenComplete()
  }

  private func startWhenComplete() {
    guard servicesToAdd == 0 else { return }
    core.started(now: timer.now)
    act()
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    if let error { return end(.failure(.serviceRefused(service.uuid.uuidString, error.localizedDescription))) }
    servicesToAdd = servicesToAdd.map { $0 - 1 }
    startWhenComplete()
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    if let error { return end(.failure(.advertisingFailed(error.localizedDescription))) }
    guard !hasAdvertised else { return }
    hasAdvertised = true
    report(.advertising)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    let link = link(of: request.central)
    let key = Place(link: link, characteristic: request.characteristic.uuid.uuidString)
    if request.offset == 0 || readValues[key] == nil {
      switch core.read(key.characteristic, from: link, now: timer.now) {
      case .success(let value): readValues[key] = value
      case .failure(let failure):
        readValues[key] = nil
        peripheral.respond(
          to: request, withResult: CBATTError.Code(rawValue: Int(failure.code)) ?? .unlikelyError)
        return act()
      }
    }
    let value = readValues[key] ?? []
    if request.offset <= value.count {
      request.value = Data(value.dropFirst(request.offset))
      peripheral.respond(to: request, withResult: .success)
    } else {
      peripheral.respond(to: request, withResult: .invalidOffset)
    }
    act()
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard let first = requests.first else { return }
    let link = link(of: first.central)
    let values: [WrittenValues.Value]
    do throws(WrittenValues.Refusal) {
      values = try WrittenValues(requests).values
    } catch {
      return peripheral.respond(to: first, withResult: error.code)
    }
    // No client of these protocols writes two values at once, or a second one before the first is answered.
    guard let value = values.first, values.count == 1, writes[link] == nil else {
      return peripheral.respond(to: first, withResult: .unlikelyError)
    }
    writes[link] = first
    core.write(value.bytes, to: value.characteristic.uuidString, from: link, now: timer.now)
    act()
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    core.subscribed(true, to: characteristic.uuid.uuidString, from: link(of: central), now: timer.now)
    act()
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    let key = LinkKey(central: central.identifier, connection: central.connection ?? 0)
    guard let link = links[key] else { return }
    outbox.drop(link, by: characteristic.uuid.uuidString)
    core.subscribed(false, to: characteristic.uuid.uuidString, from: link, now: timer.now)
    act()
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didEndConnection connection: UInt32
  ) {
    guard let link = links[LinkKey(central: central.identifier, connection: connection)] else { return }
    forget(link)
    act()
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { flush() }

  private func definition(of service: ProvisioningService) -> CBMutableService {
    let definition = CBMutableService(type: CBUUID(string: service.uuid), primary: true)
    definition.characteristics = service.characteristics.map { described in
      var permissions: CBAttributePermissions = []
      if described.properties.contains(.read) { permissions.insert(.readable) }
      if !described.properties.isDisjoint(with: [.write, .writeWithoutResponse]) { permissions.insert(.writeable) }
      let characteristic = CBMutableCharacteristic(
        type: CBUUID(string: described.uuid),
        properties: CBCharacteristicProperties(rawValue: UInt(described.properties.rawValue)), value: nil,
        permissions: permissions)
      if let text = described.userDescription {
        characteristic.descriptors = [
          CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: text)
        ]
      }
      characteristics[described.uuid] = characteristic
      return characteristic
    }
    return definition
  }
}
