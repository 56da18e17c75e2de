import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// Connects a central manager and its peripherals to the host.
///
/// Peripherals retain the engine, the manager ends it, and the driver does not retain it. Unchecked: the managers and
/// peripherals in it are weak references under its lock; `consumption` belongs to the callback queue's one running
/// block.
final class CentralEngine: ManagerEngine, @unchecked Sendable {
  /// The items from which callbacks are made.
  enum Item {
    case event(HostEvent)
    case answer(CBPeripheral, PeripheralRequest, GATTOutcome)
    /// The change of a link's services in `State.changes`.
    case servicesChanged(LinkID)
    case connectedAlready(CBPeripheral)
    case dropped(BluetoothAddress, isInUse: Bool)
    case connectionEvent(CBConnectionEvent, BluetoothAddress)
    case discovered(Discovery, at: CFAbsoluteTime)
    case channelSounding(CBPeripheral, ChannelSoundingEvent)
    case restored
    case channelOpened(ChannelConnection)
    case channelFailed(LinkID, ChannelFailure)
  }

  /// The subjects of events of which only the last one matters.
  enum Subject: Hashable {
    case advertisement(BluetoothAddress)
    case readiness(LinkID)
  }

  struct State {
    weak var manager: CBCentralManager?
    weak var delegate: (any CBCentralManagerDelegate)?
    var session = ManagerSession()
    var scan: ScanRequest?
    var peripherals: [BluetoothAddress: Weak<CBPeripheral>] = [:]
    var links: [LinkID: Weak<CBPeripheral>] = [:]
    /// Changes of peers' databases that were not reported to the app.
    var changes: [LinkID: AttributeHandleRange] = [:]
    /// Connections whose attempts wait for their start delays.
    var delayed: [BluetoothAddress: DelayedConnection] = [:]
    /// The state of an earlier process, until the radio is on for the first time.
    var restoring: CentralRecord?
    /// The connection events that the app registered for.
    var connectionEventFilter: ConnectionEventFilter?
  }

  let driver: HostDriver
  let pairing: ManagerPairing
  let peers: PeerDirectory
  /// Measures the distance to a connected device in meters; nil where the controller cannot.
  let measureDistance: (@Sendable (BluetoothAddress) -> Double?)?
  let callbacks: CallbackQueue<CentralEngine>
  let channels: ChannelDirectory
  let state: Locked<State>
  /// Where the state outlives the process; nil if the app did not choose that.
  let restoration: RestorationFile<CentralRecord>?
  private var consumption = Consumption()

  init(
    controller: Controller, queue: DispatchQueue, options: [String: Any]?,
    restoration: RestorationFile<CentralRecord>? = nil
  ) {
    driver = controller.driver
    pairing = ManagerPairing(options)
    peers = controller.peers
    measureDistance = controller.measureDistance
    callbacks = CallbackQueue(queue, activity: driver.activity, inheriting: controller.inherited)
    channels = ChannelDirectory(driver)
    state = Locked(State())
    self.restoration = restoration
  }

  /// Starts to receive the host's events, as the last step of the manager's initializer.
  func start(_ manager: CBCentralManager) {
    state.withLock { $0.manager = manager }
    receiveEvents()
  }

  func withSession<Result>(_ body: (inout ManagerSession) -> Result) -> Result {
    state.withLock { body(&$0.session) }
  }

  func joined(as client: ClientID) {
    consumption.client = client
    if restoration?.restored != nil { callbacks.append(.restored, to: self) }
  }

  static func item(of event: HostEvent) -> Item { .event(event) }

  /// Ends the manager's scans and connections when it is released.
  func end() {
    let (client, peripherals, _) = state.withLock { state in
      defer { state.delayed = [:] }
      return (state.session.client.take(), state.peripherals.values.compactMap(\.object), state.delayed)
    }
    restoration?.end()
    guard let client else { return }
    peers.connections.removed(self)
    for peripheral in peripherals { peripheral.managerWasReleased() }
    driver.removeClient(client)
    channels.endAll()
  }

  // MARK: Events

  /// Queues an event. Of events that nearby devices can cause without end, only the last one matters; events of the
  /// other role are dropped.
  func hostDidSend(_ event: HostEvent) {
    switch event {
    case .discovered(let discovery):
      let item = Item.discovered(discovery, at: CFAbsoluteTimeGetCurrent())
      callbacks.append(item, of: .advertisement(discovery.address), mayDrop: true, to: self)
    case .servicesChanged(let link, let range):
      let isFirst = state.withLock { state in
        defer { state.changes[link] = state.changes[link]?.union(range) ?? range }
        return state.changes[link] == nil
      }
      if isFirst { callbacks.append(.servicesChanged(link), to: self) }
    case .channel(let event): received(event)
    case .readyToSendWriteWithoutResponse(let link): callbacks.append(.event(event), of: .readiness(link), to: self)
    case .connected(_, _, .peripheral), .disconnected(_, _, .peripheral, _), .mtuChanged: break
    case .pairingEnded where pairing.agent == nil: break
    case .connected(let link, let address, .central):
      callbacks.append(.event(event), to: self)
      peers.connections.began(link, address, for: self)
    case .disconnected(let link, _, .central, _):
      callbacks.append(.event(event), to: self)
      peers.connections.ended(link, for: self)
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
      callDelegate { $0.centralManager($1, didConnect: peripheral) }
    case .dropped(let address, let isInUse): dropped(address, isInUse: isInUse)
    case .connectionEvent(let event, let address): connectionEventOccurred(event, address)
    case .discovered(let discovery, let time): discovered(discovery, at: time)
    case .channelSounding(let peripheral, let event): peripheral.handle(event)
    case .restored: restore()
    case .channelOpened(let connection): opened(connection)
    case .channelFailed(let link, let failure): channelFailed(link, failure)
    }
  }

  func bondWasNotStored(_ identity: BluetoothAddress, _ reason: String) { pairing.bondWasNotStored(identity) }

  func deliveredRun() { consumption.flush(driver) }

  private func deliver(_ event: HostEvent) {
    switch event {
    case .notification(let link, let handle, let bytes):
      peripheral(on: link)?.notified(handle, bytes)
      consumption.add(link, driver)
    case .readyToSendWriteWithoutResponse(let link):
      guard let peripheral = peripheral(on: link) else { return }
      peripheral.valuesChanged()
      peripheral.delegate?.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
    case .connected(let link, let address, .central): connected(link, address)
    case .connectionFailed(let address, let status): connectionFailed(address, status)
    case .disconnected(let link, let address, .central, let cause): disconnected(link, address, cause)
    case .rssi(let link, let rssi): peripheral(on: link)?.readRSSI(rssi)
    case .pairingQuestion, .pairingEnded:
      deliverPairing(event, peers: peers, to: state.withLock { $0.manager })
    case .stateChanged(let hostState, let life):
      withSession { $0.life = life }
      stateChanged(hostState)
    // Events of a peripheral manager, and changes that properties return on demand.
    case .connected, .disconnected, .discovered, .servicesChanged, .mtuChanged, .advertisingStarted, .readRequest,
      .writeRequest, .subscriptionChanged, .readyToUpdateSubscribers, .channel:
      break
    }
  }

  // MARK: Requests

  func submit(
    _ procedure: GATTProcedure, link: LinkID, mayRaiseSecurity: Bool = true,
    completion: @escaping @Sendable (GATTOutcome) -> Void
  ) {
    guard let client else { return completion(.failed(.disconnected)) }
    driver.submit(
      procedure, client: client, link: link, mayRaiseSecurity: mayRaiseSecurity, completion: completion)
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

  // MARK: Peripherals

  /// The one object of a device, created if necessary.
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

  /// The object of a device, if the app retains it.
  func existingPeripheral(at address: BluetoothAddress) -> CBPeripheral? {
    state.withLock { $0.peripherals[address]?.object }
  }

  func peripheral(on link: LinkID) -> CBPeripheral? { state.withLock { $0.links[link]?.object } }

  /// Called from a peripheral's deinit, with unknown locks held: it only queues an item.
  func peripheralWasDropped(_ address: BluetoothAddress, isInUse: Bool) {
    callbacks.append(.dropped(address, isInUse: isInUse), to: self)
  }

  func callDelegate(_ body: (any CBCentralManagerDelegate, CBCentralManager) -> Void) {
    let (manager, delegate) = state.withLock { ($0.manager, $0.delegate) }
    if let manager, let delegate { body(delegate, manager) }
  }
}
