import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// What stands between a peripheral manager with its services and the host.
///
/// The manager keeps it and ends it. Unchecked: the app's objects in it are under its lock, and have locks of their own;
/// `consumption` belongs to the callback queue's one running block.
final class PeripheralEngine: HostEventSink, CallbackHandler, @unchecked Sendable {
  /// What callbacks are made from.
  enum Item {
    case event(HostEvent)
    /// A service was added, or refused, after the services had been taken away so often.
    case added(CBService, CBError?, clearings: Int)
    case advertisingRefused(CBError)
  }

  /// What events tell the state of, so that only the last one counts.
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
    var client: ClientID?
    /// What begins the callbacks.
    var start: ManagerStart?
    /// The host's life that the manager was told of last.
    var life: HostLife?
    var services: [CBMutableService] = []
    var characteristics: [AttributeHandle: Published] = [:]
    /// The links over which a central asked for something, until they end.
    var activeLinks: Set<LinkID> = []
    /// The centrals that are connected now, as far as they have shown themselves.
    var centrals: [LinkID: CBCentral] = [:]
    /// Every central that the app may still hold.
    var knownCentrals: [BluetoothAddress: Weak<CBCentral>] = [:]
    var advertising = AdvertisingProgress()
    /// How often a reset took all services away.
    var clearings = 0
  }

  let driver: HostDriver
  let peers: PeerDirectory
  let callbacks: CallbackQueue<PeripheralEngine>
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
  func start(_ manager: CBPeripheralManager) {
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

  /// The manager is gone: its advertising and services end.
  func end() {
    guard let client = state.withLock({ state in state.client.take() }) else { return }
    unpublishAll()
    driver.removeClient(client)
  }

  var client: ClientID? { state.withLock { $0.client } }

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

  // MARK: Events

  /// Of what centrals can cause without end, the last word counts, and what concerns nobody is left out.
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
    case .readyToUpdateSubscribers: callbacks.append(.event(event), of: .readiness, to: self)
    // A central that came and went without a word is nobody's.
    case .disconnected(let link, _, .peripheral, _):
      guard state.withLock({ $0.activeLinks.remove(link) }) != nil else { return }
      if callbacks.appendEnd(.event(event), of: link, to: self) {
        Diagnostics.notice(
          "the delegate's queue is busy, and requests of centrals that have left are dropped: give the manager its own")
      }
    case .connected, .disconnected, .mtuChanged: break
    default: callbacks.append(.event(event), to: self)
    }
  }

  private func note(_ link: LinkID) {
    if state.withLock({ $0.activeLinks.insert(link).inserted }) { callbacks.begin(link) }
  }

  static func source(of item: Item) -> LinkID? {
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
      // A reset of the radio that the app has been told of since took the service away: it was told that, too.
      guard state.withLock({ $0.clearings == clearings }) else { return }
      tellDelegate { $0.peripheralManager($1, didAdd: service, error: error) }
    case .advertisingRefused(let error):
      tellDelegate { $0.peripheralManagerDidStartAdvertising($1, error: error) }
    }
  }

  func deliveredRun() { consumption.flush(driver) }

  private func deliver(_ event: HostEvent) {
    switch event {
    case .writeRequest(let request):
      received(request)
      if request.id == nil { consumption.add(request.link, driver) }
    case .readRequest(let request): received(request)
    case .readyToUpdateSubscribers: tellDelegate { $0.peripheralManagerIsReady(toUpdateSubscribers: $1) }
    case .subscriptionChanged(let link, let peer, let handle, let subscription, let additions):
      guard let characteristic = state.withLock({ $0.characteristic(handle, after: additions) }) else { return }
      subscriptionChanged(characteristic, by: central(on: link, peer), subscription)
    case .disconnected(let link, _, .peripheral, _): disconnected(link)
    case .advertisingStarted(let status): advertisingStarted(status)
    case .stateChanged(let hostState, let life):
      state.withLock { $0.life = life }
      stateChanged(hostState)
    // What concerns a central manager, and what the properties tell when they are asked.
    case .connected, .disconnected, .connectionFailed, .mtuChanged, .discovered, .notification, .servicesChanged, .rssi,
      .readyToSendWriteWithoutResponse:
      break
    }
  }

  func tellDelegate(_ body: (any CBPeripheralManagerDelegate, CBPeripheralManager) -> Void) {
    let (manager, delegate) = state.withLock { ($0.manager, $0.delegate) }
    if let manager, let delegate { body(delegate, manager) }
  }

  // MARK: Centrals

  /// The one object of a central, made if need be.
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
      tellDelegate { $0.peripheralManager($1, central: central, didUnsubscribeFrom: characteristic) }
    }
    // A new connection of the same central may be up already.
    if central.link == link { central.setLink(nil) }
  }

  private func subscriptionChanged(
    _ characteristic: CBMutableCharacteristic, by central: CBCentral, _ subscription: Subscription
  ) {
    if subscription == .none {
      guard characteristic.unsubscribe(central) else { return }
      tellDelegate { $0.peripheralManager($1, central: central, didUnsubscribeFrom: characteristic) }
    } else {
      guard characteristic.subscribe(central) else { return }
      tellDelegate { $0.peripheralManager($1, central: central, didSubscribeTo: characteristic) }
    }
  }

  // MARK: State

  private func stateChanged(_ hostState: HostState) {
    let (manager, delegate) = state.withLock { ($0.manager, $0.delegate) }
    guard let manager, manager.setState(hostState.shown(after: manager.state)) else { return }
    switch manager.state {
    case .poweredOn: resumeAdvertising()
    // Paused only: it goes on with the radio.
    case .poweredOff: state.withLock { $0.advertising.pause() }
    case .unknown, .resetting, .unsupported, .unauthorized:
      // Below `poweredOff` the database is empty again, so says the delegate's contract.
      state.withLock { $0.advertising.stop() }
      clearServices()
    }
    delegate?.peripheralManagerDidUpdateState(manager)
  }
}

extension PeripheralEngine.State {
  /// The characteristic of which an event speaks that came when so many services had been added; nil if that is gone, even
  /// if another one has its handle by now.
  func characteristic(_ handle: AttributeHandle, after additions: UInt64) -> CBMutableCharacteristic? {
    guard let published = characteristics[handle], published.addition <= additions else { return nil }
    return published.characteristic
  }
}
