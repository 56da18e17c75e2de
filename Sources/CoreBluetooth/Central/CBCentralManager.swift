public import Dispatch
public import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// Scans for peripherals and connects to them.
///
/// Commands are accepted while `state` is `poweredOn`; otherwise they are a misuse, logged and without effect. All
/// callbacks arrive on the manager's queue, one after the other, never from inside a call. When the manager is released
/// its scans and connections end.
open class CBCentralManager: CBManager {
  let engine: CentralEngine

  /// A manager without a delegate, on the main queue.
  public convenience init() {
    self.init(delegate: nil, queue: nil, options: nil)
  }

  /// A manager whose callbacks arrive on `queue`; without one, on the main queue.
  public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// A manager with options, among them `CBManagerOptionControllerKey`.
  public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]?) {
    let controller = Controller.forManager(.central, options: options)
    engine = CentralEngine(
      controller: controller, queue: queue ?? .main, options: options,
      restoration: .make(
        options: options, key: CBCentralManagerOptionRestoreIdentifierKey, in: controller.stateFolder))
    engine.state.withLock { $0.delegate = delegate }
    super.init(initialState: .unknown)
    engine.start(self)
  }

  deinit { engine.end() }

  override var driver: HostDriver? { engine.driver }

  /// The transport's reason for the last loss of the controller; nil if it never was lost.
  package var reasonOfLoss: String? { engine.driver.reasonOfLoss }

  /// Receives the manager's callbacks; not retained.
  open var delegate: (any CBCentralManagerDelegate)? {
    get { engine.state.withLock { $0.delegate } }
    set { engine.state.withLock { $0.delegate = newValue } }
  }

  /// Whether the manager scans.
  open var isScanning: Bool { engine.state.withLock { $0.scan != nil } }

  /// The value of a key: `state` or `isScanning`.
  open override func value(forKey key: String) -> Any? {
    key == "isScanning" ? NSNumber(value: isScanning) : super.value(forKey: key)
  }

  /// Scans for peripherals that advertise one of the services, or for all; a new scan replaces the one before.
  ///
  /// Each peripheral is reported once, and again when its scan response brings more, unless
  /// `CBCentralManagerScanOptionAllowDuplicatesKey` asks for every advertisement.
  /// `CBCentralManagerScanOptionSolicitedServiceUUIDsKey` finds peripherals that solicit one of its services, too.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
    guard let client = clientWhenPoweredOn() else { return }
    let services = serviceUUIDs.flatMap { $0.isEmpty ? nil : $0.map(\.bluetoothUUID) }
    let duplicates = options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? NSNumber
    let solicited = options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID] ?? []
    let request = ScanRequest(
      services: services, solicitedServices: solicited.isEmpty ? nil : solicited.map(\.bluetoothUUID),
      allowsDuplicates: duplicates?.boolValue)
    engine.startScan(request, client: client)
    engine.saveState()
    valuesChanged()
  }

  /// Ends the scan.
  open func stopScan() {
    guard let client = clientWhenPoweredOn() else { return }
    engine.command {
      engine.state.withLock { $0.scan = nil }
      return true
    } _: { host, now in
      host.stopScan(client, now: now)
    }
    engine.saveState()
    valuesChanged()
  }

  /// Connects to a peripheral. This never expires; `cancelPeripheralConnection(_:)` ends it.
  ///
  /// Of the options, `CBConnectPeripheralOptionStartDelayKey` and `CBConnectPeripheralOptionEnableAutoReconnect` have an
  /// effect.
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
    guard let client = clientWhenPoweredOn(), isOwn(peripheral) else { return }
    engine.peers.save(peripheral.address)
    engine.connect(peripheral, ConnectOptions(options), client: client)
    engine.saveState()
    peripheral.valuesChanged()
  }

  /// Ends a connection, or the attempt at one. The delegate gets a callback without an error.
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
    guard let client = clientWhenPoweredOn(), isOwn(peripheral) else { return }
    engine.cancel(peripheral, client: client)
    engine.saveState()
    peripheral.valuesChanged()
  }

  /// The known peripherals with these identifiers.
  @discardableResult
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    guard clientWhenPoweredOn() != nil else { return [] }
    return identifiers.compactMap { engine.peers.address(of: $0).map(engine.peripheral(at:)) }
  }

  /// The peripherals that this host is connected to, by any manager, and that are known to have one of the services.
  @discardableResult
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    guard clientWhenPoweredOn() != nil else { return [] }
    let services = Set(serviceUUIDs.map(\.bluetoothUUID))
    let connected = engine.driver.withHost { host, _ in host.connectedPeers.map(\.peer) }
    return connected.filter { !engine.peers.peer(at: $0).services.isDisjoint(with: services) }
      .map(engine.peripheral(at:))
  }

  /// The host's client for a command; nil while commands are not accepted, with a message in the log.
  func clientWhenPoweredOn() -> ClientID? {
    if state == .poweredOn, let client = engine.client { return client }
    Diagnostics.misuse("\(self) can only accept this command while in the powered on state")
    return nil
  }

  private func isOwn(_ peripheral: CBPeripheral) -> Bool {
    if peripheral.engine === engine { return true }
    Diagnostics.misuse("\(peripheral) was not obtained from \(self)")
    return false
  }
}
