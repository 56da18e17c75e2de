import BluetoothHost
import BluetoothTransports
import Foundation

/// What stands between a peripheral manager with its services and the host.
///
/// The manager keeps it and ends it. Unchecked: the app's objects in it are under its lock, and have locks of their own;
/// `consumption` belongs to the callback queue's one running block.
final class PeripheralEngine: HostEventSink, CallbackHandler, @unchecked Sendable {
  /// What callbacks are made from.
  enum Item {
    case event(HostEvent)
    case added(CBService, CBError?)
    case advertisingRefused(CBError)
  }

  struct State {
    weak var manager: CBPeripheralManager?
    weak var delegate: (any CBPeripheralManagerDelegate)?
    var client: ClientID?
    var services: [CBMutableService] = []
    var characteristics: [AttributeHandle: CBMutableCharacteristic] = [:]
    /// The centrals that are connected now, as far as they have shown themselves.
    var centrals: [LinkID: CBCentral] = [:]
    /// Every central that the app may still hold.
    var knownCentrals: [BluetoothAddress: Weak<CBCentral>] = [:]
    var advertising = AdvertisingProgress()
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
  func start(_ manager: CBPeripheralManager) {
    let client = driver.addClient(self)
    consumption.client = client
    state.withLock { state in
      state.manager = manager
      state.client = client
    }
    driver.withHost { host, _ in callbacks.append(.event(.stateChanged(host.state, host.life)), to: self) }
    callbacks.start(self)
  }

  /// The manager is gone: its advertising and services end.
  func end() {
    guard let client = state.withLock({ state in state.client.take() }) else { return }
    unpublishAll()
    driver.removeClient(client)
  }

  var client: ClientID? { state.withLock { $0.client } }

  // MARK: Events

  func hostDidSend(_ event: HostEvent) { callbacks.append(.event(event), to: self) }

  func deliver(_ item: consuming Item) {
    switch item {
    case .event(let event): deliver(event)
    case .added(let service, let error):
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
    case .subscriptionChanged(let link, let peer, let handle, let subscription):
      subscriptionChanged(handle, by: central(on: link, peer), subscription)
    case .disconnected(let link, _, .peripheral, _): disconnected(link)
    case .advertisingStarted(let status): advertisingStarted(status)
    case .stateChanged(let state, _): stateChanged(state)
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
      return (central, state.characteristics.values.sorted { $0.valueHandle < $1.valueHandle })
    }
    guard let central else { return }
    for characteristic in characteristics where characteristic.unsubscribe(central) {
      tellDelegate { $0.peripheralManager($1, central: central, didUnsubscribeFrom: characteristic) }
    }
    // A new connection of the same central may be up already.
    if central.link == link { central.setLink(nil) }
  }

  private func subscriptionChanged(_ handle: AttributeHandle, by central: CBCentral, _ subscription: Subscription) {
    guard let characteristic = state.withLock({ $0.characteristics[handle] }) else { return }
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
    if manager.state != .poweredOn { state.withLock { $0.advertising.stop() } }
    // Below `poweredOff` the database is empty again, so says the delegate's contract.
    if manager.state.rawValue < CBManagerState.poweredOff.rawValue { removeAllServices() }
    delegate?.peripheralManagerDidUpdateState(manager)
  }
}
