import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// Connects a peripheral manager and its services to the host.
///
/// The manager retains the engine and ends it. Unchecked: the app's objects in it are under its lock, and have locks of
/// their own; `consumption` belongs to the callback queue's one running block.
final class PeripheralEngine: ManagerEngine, @unchecked Sendable {
  /// The items from which callbacks are made.
  enum Item {
    case event(HostEvent)
    /// A service was added or refused, after `clearings` removals of all services.
    case added(CBService, CBError?, clearings: Int)
    case advertisingRefused(CBError)
    case restored
    case channel(ChannelReport)
  }

  /// The subjects of events of which only the last one matters.
  enum Subject: Hashable {
    case subscription(LinkID, AttributeHandle, UInt64)
    case readiness
  }

  /// A characteristic in the database, with the number of its service (`GATTServicePlacement.addition`).
  struct Published {
    let characteristic: CBMutableCharacteristic
    let addition: UInt64
  }

  struct State {
    weak var manager: CBPeripheralManager?
    weak var delegate: (any CBPeripheralManagerDelegate)?
    var session = ManagerSession()
    var services: [CBMutableService] = []
    var characteristics: [AttributeHandle: Published] = [:]
    /// The links over which a central sent a request, until they end.
    var activeLinks: Set<LinkID> = []
    /// The connected centrals that have sent a request.
    var centrals: [LinkID: CBCentral] = [:]
    /// Every central that the app may still hold.
    var knownCentrals: [BluetoothAddress: Weak<CBCentral>] = [:]
    var advertising = AdvertisingProgress()
    /// The numbers under which channels are published.
    var psms: Set<CBL2CAPPSM> = []
    /// How many resets removed all services.
    var clearings = 0
  }

  let driver: HostDriver
  let pairing: ManagerPairing
  let peers: PeerDirectory
  let callbacks: CallbackQueue<PeripheralEngine>
  let channels: ChannelDirectory
  let state: Locked<State>
  /// Where the state outlives the process; nil if the app did not choose that.
  let restoration: RestorationFile<PeripheralRecord>?
  private var consumption = Consumption()

  init(
    controller: Controller, queue: DispatchQueue, options: [String: Any]?,
    restoration: RestorationFile<PeripheralRecord>? = nil
  ) {
    driver = controller.driver
    pairing = ManagerPairing(options)
    peers = controller.peers
    callbacks = CallbackQueue(queue, activity: driver.activity, inheriting: controller.inherited)
    channels = ChannelDirectory(driver)
    state = Locked(State())
    self.restoration = restoration
  }

  /// Starts to receive the host's events, as the last step of the manager's initializer.
  func start(_ manager: CBPeripheralManager) {
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

  /// Ends the manager's advertising and services when it is released.
  func end() {
    restoration?.end()
    guard let client = state.withLock({ state in state.session.client.take() }) else { return }
    unpublishAll()
    driver.removeClient(client)
    channels.endAll()
  }

  // MARK: Events

  /// Queues an event. Of events that centrals can cause without end, only the last one matters; events that concern no
  /// app are dropped.
  func hostDidSend(_ event: HostEvent) {
    switch event {
    case .subscriptionChanged(let link, _, let handle, _, let additions):
      note(link)
      callbacks.append(.event(event), of: .subscription(link, handle, additions), to: self)
    case .readRequest(let request):
      note(request.link)
      callbacks.append(.event(event), to: self)
    case .writeRequest(let request):
      note(request.link)
      callbacks.append(.event(event), to: self)
    case .channel(let event): received(event)
    case .readyToUpdateSubscribers: callbacks.append(.event(event), of: .readiness, to: self)
    // A central that sent no request is not reported.
    case .disconnected(let link, _, .peripheral, _):
      guard state.withLock({ $0.activeLinks.remove(link) }) != nil else { return }
      if callbacks.appendEnd(.event(event), of: link, to: self) {
        Diagnostics.notice(
          "the delegate's queue is busy, and requests of centrals that have left are dropped: give the manager its own")
      }
    case .connected, .disconnected, .mtuChanged: break
    case .pairingEnded where pairing.agent == nil: break
    default: callbacks.append(.event(event), to: self)
    }
  }

  func note(_ link: LinkID) {
    if state.withLock({ $0.activeLinks.insert(link).inserted }) { callbacks.begin(link) }
  }

  static func source(of item: Item) -> LinkID? {
    if case .channel(.opened(let connection)) = item { return connection.description.link }
    guard case .event(let event) = item else { return nil }
    return switch event {
    case .subscriptionChanged(let link, _, _, _, _), .disconnected(let link, _, .peripheral, _): link
    case .readRequest(let request): request.link
    case .writeRequest(let request): request.link
    default: nil
    }
  }

  func deliver(_ item: consuming Item) {
    switch item {
    case .event(let event): deliver(event)
    case .added(let service, let error, let clearings):
      // A reset of the radio that was reported to the app since then removed the service; the app knows of that.
      guard state.withLock({ $0.clearings == clearings }) else { return }
      callDelegate { $0.peripheralManager($1, didAdd: service, error: error) }
    case .advertisingRefused(let error):
      callDelegate { $0.peripheralManagerDidStartAdvertising($1, error: error) }
    case .restored: restore()
    case .channel(let report): deliver(report)
    }
  }

  func bondWasNotStored(_ identity: BluetoothAddress, _ reason: String) { pairing.bondWasNotStored(identity) }

  func deliveredRun() { consumption.flush(driver) }

  private func deliver(_ event: HostEvent) {
    switch event {
    case .writeRequest(let request):
      received(request)
      if request.id == nil { consumption.add(request.link, driver) }
    case .readRequest(let request): received(request)
    case .readyToUpdateSubscribers: callDelegate { $0.peripheralManagerIsReady(toUpdateSubscribers: $1) }
    case .subscriptionChanged(let link, let peer, let handle, let subscription, let additions):
      guard let characteristic = state.withLock({ $0.characteristic(handle, after: additions) }) else { return }
      subscriptionChanged(characteristic, by: central(on: link, peer), subscription)
    case .disconnected(let link, _, .peripheral, _): disconnected(link)
    case .pairingQuestion, .pairingEnded:
      deliverPairing(event, peers: peers, to: state.withLock { $0.manager })
    case .advertisingStarted(let status): advertisingStarted(status)
    case .stateChanged(let hostState, let life):
      withSession { $0.life = life }
      stateChanged(hostState)
    // Events of a central manager, and changes that properties return on demand.
    case .connected, .disconnected, .connectionFailed, .mtuChanged, .discovered, .notification, .servicesChanged, .rssi,
      .readyToSendWriteWithoutResponse, .channel:
      break
    }
  }

  func callDelegate(_ body: (any CBPeripheralManagerDelegate, CBPeripheralManager) -> Void) {
    let (manager, delegate) = state.withLock { ($0.manager, $0.delegate) }
    if let manager, let delegate { body(delegate, manager) }
  }

  // MARK: Centrals

  /// The one object of a central, created if necessary.
  func central(on link: LinkID, _ address: BluetoothAddress) -> CBCentral {
    if let central = state.withLock({ $0.centrals[link] }) { return central }
    let identifier = peers.peer(at: address).identifier
    let central = state.withLock { state in
      let central =
        state.knownCentrals[address]?.object ?? CBCentral(identifier: identifier, driver: driver, link: link)
      state.centrals[link] = central
      state.knownCentrals[address] = Weak(central)
      return central
    }
    central.setLink(link)
    return central
  }

  private func disconnected(_ link: LinkID) {
    let (central, characteristics) = state.withLock { state in
      let central = state.centrals.removeValue(forKey: link)
      state.knownCentrals = state.knownCentrals.filter { $0.value.object != nil }
      return (central, state.characteristics.sorted { $0.key < $1.key }.map(\.value.characteristic))
    }
    guard let central else { return }
    for characteristic in characteristics where characteristic.unsubscribe(central) {
      callDelegate { $0.peripheralManager($1, central: central, didUnsubscribeFrom: characteristic) }
    }
    callDelegate { delegate, manager in
      guard let delegate = delegate as? any CBDisconnectionDelegate else { return }
      delegate.peripheralManager(manager, central: central, didEndConnection: link.value)
    }
    // A new connection of the same central may be up already.
    if central.link == link { central.setLink(nil) }
  }

  private func subscriptionChanged(
    _ characteristic: CBMutableCharacteristic, by central: CBCentral, _ subscription: Subscription
  ) {
    if subscription == .none {
      guard characteristic.unsubscribe(central) else { return }
      callDelegate { $0.peripheralManager($1, central: central, didUnsubscribeFrom: characteristic) }
    } else {
      guard characteristic.subscribe(central) else { return }
      callDelegate { $0.peripheralManager($1, central: central, didSubscribeTo: characteristic) }
    }
  }

  // MARK: State

  private func stateChanged(_ hostState: HostState) {
    guard let manager = state.withLock({ $0.manager }), manager.setState(hostState.shown(after: manager.state)) else {
      return
    }
    switch manager.state {
    case .poweredOn: resumeAdvertising()
    // Only paused: it resumes when the radio is on.
    case .poweredOff: state.withLock { $0.advertising.pause() }
    case .unknown, .resetting, .unsupported, .unauthorized:
      // Below `poweredOff` the database is empty again, by the delegate's contract.
      state.withLock { $0.advertising.stop() }
      clearServices()
    }
    saveState()
    manager.valuesChanged()
    // The delegate of now: an app that sets it, and reads the state of before, hears of the new one.
    callDelegate { $0.peripheralManagerDidUpdateState($1) }
  }
}

extension PeripheralEngine.State {
  /// The characteristic of an event that arrived when `additions` services had been added; nil if it was removed, even
  /// if another one has its handle by now.
  func characteristic(_ handle: AttributeHandle, after additions: UInt64) -> CBMutableCharacteristic? {
    guard let published = characteristics[handle], published.addition <= additions else { return nil }
    return published.characteristic
  }
}
