import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// What stands between a central manager with its peripherals and the host.
///
/// Peripherals keep it, the manager ends it, the driver and itself keep neither. Unchecked: the managers and peripherals
/// in it are weak references under its lock; `consumption` belongs to the callback queue's one running block.
final class CentralEngine: HostEventSink, CallbackHandler, @unchecked Sendable {
  /// What callbacks are made from.
  enum Item {
    case event(HostEvent)
    case answer(CBPeripheral, PeripheralRequest, GATTOutcome)
    /// What `State.changes` has of a link.
    case servicesChanged(LinkID)
    case connectedAlready(CBPeripheral)
    case dropped(BluetoothAddress, isInUse: Bool)
  }

  /// What events tell the state of, so that only the last one counts.
  enum Subject: Hashable {
    case advertisement(BluetoothAddress)
    case readiness(LinkID)
  }

  struct State {
    weak var manager: CBCentralManager?
    weak var delegate: (any CBCentralManagerDelegate)?
    var client: ClientID?
    /// What begins the callbacks.
    var start: ManagerStart?
    /// The host's life that the manager was told of last.
    var life: HostLife?
    var isScanning = false
    var peripherals: [BluetoothAddress: Weak<CBPeripheral>] = [:]
    var links: [LinkID: Weak<CBPeripheral>] = [:]
    /// What of peers' databases changed without the app having been told.
    var changes: [LinkID: AttributeHandleRange] = [:]
  }

  let driver: HostDriver
  let peers: PeerDirectory
  let callbacks: CallbackQueue<CentralEngine>
  let state: Locked<State>
  private var consumption = Consumption()

  init(controller: Controller, queue: DispatchQueue) {
    driver = controller.driver
    peers = controller.peers
    callbacks = CallbackQueue(queue)
    state = Locked(State())
  }

  /// Begins to hear of the host; the manager's init is its last step.
  ///
  /// What is heard waits (`ManagerStart`), so that the app has the manager when its delegate has.
  func start(_ manager: CBCentralManager) {
    driver.addClient(self) { host, client in
      consumption.client = client
      state.withLock { state in
        state.manager = manager
        state.client = client
      }
      callbacks.append(.event(.stateChanged(host.state, host.life)), to: self)
    }
    state.withLock { $0.start = ManagerStart(on: driver) { [weak self] in self.map { $0.callbacks.start($0) } } }
  }

  /// The manager is gone: its scans and connections end.
  func end() {
    let (client, peripherals) = state.withLock { state in
      (state.client.take(), state.peripherals.values.compactMap(\.object))
    }
    guard let client else { return }
    for peripheral in peripherals { peripheral.radioIsGone() }
    driver.removeClient(client)
  }

  // MARK: Events

  /// Of what devices around can cause without end, the last word counts, and what concerns the other role is left out.
  func hostDidSend(_ event: HostEvent) {
    switch event {
    case .discovered(let discovery):
      callbacks.append(.event(event), of: .advertisement(discovery.address), mayDrop: true, to: self)
    case .servicesChanged(let link, let range):
      let isFirst = state.withLock { state in
        defer { state.changes[link] = state.changes[link]?.union(range) ?? range }
        return state.changes[link] == nil
      }
      if isFirst { callbacks.append(.servicesChanged(link), to: self) }
    case .readyToSendWriteWithoutResponse(let link): callbacks.append(.event(event), of: .readiness(link), to: self)
    case .connected(_, _, .peripheral), .disconnected(_, _, .peripheral, _), .mtuChanged: break
    default: callbacks.append(.event(event), to: self)
    }
  }

  func deliver(_ item: consuming Item) {
    switch item {
    case .event(let event): deliver(event)
    case .answer(let peripheral, let request, let outcome): request.answer(peripheral, outcome)
    case .servicesChanged(let link):
      guard let range = state.withLock({ $0.changes.removeValue(forKey: link) }) else { return }
      peripheral(on: link)?.servicesChanged(in: range)
    case .connectedAlready(let peripheral):
      tellDelegate { $0.centralManager($1, didConnect: peripheral) }
    case .dropped(let address, let isInUse): dropped(address, isInUse: isInUse)
    }
  }

  func deliveredRun() { consumption.flush(driver) }

  private func deliver(_ event: HostEvent) {
    switch event {
    case .notification(let link, let handle, let bytes):
      peripheral(on: link)?.notified(handle, bytes)
      consumption.add(link, driver)
    case .readyToSendWriteWithoutResponse(let link):
      guard let peripheral = peripheral(on: link) else { return }
      peripheral.delegate?.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
    case .discovered(let discovery): discovered(discovery)
    case .connected(let link, let address, .central): connected(link, address)
    case .connectionFailed(let address, let status): connectionFailed(address, status)
    case .disconnected(let link, let address, .central, let cause): disconnected(link, address, cause)
    case .rssi(let link, let rssi): peripheral(on: link)?.readRSSI(rssi)
    case .stateChanged(let hostState, let life):
      state.withLock { $0.life = life }
      stateChanged(hostState)
    // What concerns a peripheral manager, and what the properties tell when they are asked.
    case .connected, .disconnected, .servicesChanged, .mtuChanged, .advertisingStarted, .readRequest, .writeRequest,
      .subscriptionChanged, .readyToUpdateSubscribers:
      break
    }
  }

  // MARK: Requests

  /// Carries out a command: what the app sees of it and what the host does change in one order, whichever thread is first.
  ///
  /// `wish` changes what the app sees and says whether the host has anything to do. A host that has been reset, or switched
  /// off and on, since the manager was told of its state is not asked: the news, which is on its way, ends the wish.
  func command(_ wish: () -> Bool, _ body: (inout LatchkeyBluetoothHost.Host, _ now: Duration) -> Void) {
    driver.withHost { host, now in
      guard wish(), state.withLock({ $0.life == host.life }) else { return }
      body(&host, now)
    }
  }

  func submit(
    _ procedure: GATTProcedure, link: LinkID, completion: @escaping @Sendable (GATTOutcome) -> Void
  ) {
    guard let client else { return completion(.failed(.disconnected)) }
    driver.submit(procedure, client: client, link: link, completion: completion)
  }

  func writeCommand(_ data: Data, to handle: AttributeHandle, on link: LinkID) {
    guard let client else { return }
    let bytes = [UInt8](data)
    _ = driver.withHost { host, now in host.writeCommand(bytes, to: handle, client: client, link: link, now: now) }
  }

  func canSendWriteWithoutResponse(on link: LinkID) -> Bool {
    guard let client else { return false }
    return driver.withHost { host, _ in host.canSendWriteWithoutResponse(client, on: link) }
  }

  func mtu(of link: LinkID) -> Int { driver.withHost { host, _ in host.mtu(of: link) } }

  func readRSSI(_ link: LinkID) {
    guard let client else { return }
    driver.withHost { host, now in host.readRSSI(client, link: link, now: now) }
  }

  var client: ClientID? { state.withLock { $0.client } }

  // MARK: Peripherals

  /// The one object of a device, made if need be.
  func peripheral(at address: BluetoothAddress) -> CBPeripheral {
    let known = peers.peer(at: address)
    return state.withLock { state in
      if let peripheral = state.peripherals[address]?.object { return peripheral }
      let peripheral = CBPeripheral(
        identifier: known.identifier, address: address, name: known.gapName ?? known.advertisedName, engine: self)
      state.peripherals[address] = Weak(peripheral)
      return peripheral
    }
  }

  /// The object of a device, if the app kept it.
  func keptPeripheral(at address: BluetoothAddress) -> CBPeripheral? {
    state.withLock { $0.peripherals[address]?.object }
  }

  private func peripheral(on link: LinkID) -> CBPeripheral? { state.withLock { $0.links[link]?.object } }

  /// From a peripheral's deinit, so whichever locks are held: no more than a note for later.
  func peripheralWasDropped(_ address: BluetoothAddress, isInUse: Bool) {
    callbacks.append(.dropped(address, isInUse: isInUse), to: self)
  }

  func tellDelegate(_ body: (any CBCentralManagerDelegate, CBCentralManager) -> Void) {
    let (manager, delegate) = state.withLock { ($0.manager, $0.delegate) }
    if let manager, let delegate { body(delegate, manager) }
  }
}
