public import Dispatch
public import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// Publishes services and advertises them to centrals.
///
/// Commands are accepted while `state` is `poweredOn`; otherwise they are a misuse, logged and without effect. All
/// callbacks arrive on the manager's queue, one after the other, never from inside a call. When the manager is released
/// its services and its advertising end.
open class CBPeripheralManager: CBManager {
  let engine: PeripheralEngine

  /// A manager without a delegate, on the main queue.
  public convenience init() {
    self.init(delegate: nil, queue: nil, options: nil)
  }

  /// A manager whose callbacks arrive on `queue`; without one, on the main queue.
  public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// A manager with options, among them `CBManagerOptionControllerKey`.
  public init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]?) {
    let controller = Controller.forManager(.peripheral, options: options)
    engine = PeripheralEngine(
      controller: controller, queue: queue ?? .main, options: options,
      restoration: .make(
        options: options, key: CBPeripheralManagerOptionRestoreIdentifierKey, in: controller.stateFolder))
    engine.state.withLock { $0.delegate = delegate }
    super.init(initialState: .unknown)
    engine.start(self)
  }

  deinit { engine.end() }

  override var driver: HostDriver? { engine.driver }

  /// The transport's reason for the last loss of the controller; nil if it never was lost.
  package var reasonOfLoss: String? { engine.driver.reasonOfLoss }

  /// Receives the manager's callbacks; not retained.
  open var delegate: (any CBPeripheralManagerDelegate)? {
    get { engine.state.withLock { $0.delegate } }
    set { engine.state.withLock { $0.delegate = newValue } }
  }

  /// Whether the manager advertises.
  open var isAdvertising: Bool { engine.state.withLock { $0.advertising.isAdvertising } }

  /// The value of a key: `state` or `isAdvertising`.
  open override func value(forKey key: String) -> Any? {
    key == "isAdvertising" ? NSNumber(value: isAdvertising) : super.value(forKey: key)
  }

  /// Advertises a name (`CBAdvertisementDataLocalNameKey`) and services (`CBAdvertisementDataServiceUUIDsKey`).
  ///
  /// `CBPeripheralManagerAdvertisingPHYKey` chooses extended advertising; other keys have no effect. If they do not fit
  /// into an advertisement and a scan response of 31 bytes each, the name is shortened and services are left out.
  open func startAdvertising(_ advertisementData: [String: Any]?) {
    guard let client = clientWhenPoweredOn() else { return }
    let services = advertisementData?[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
    var parameters = AdvertisingParameters(
      localName: advertisementData?[CBAdvertisementDataLocalNameKey] as? String,
      services: (services ?? []).map(\.bluetoothUUID),
      packets: AdvertisingPHY.packets(of: advertisementData?[CBPeripheralManagerAdvertisingPHYKey]))
    (advertisementData?[CBPeripheralManagerAdvertisedDataKey] as? AdvertisedData)?.complete(&parameters)
    engine.startAdvertising(parameters, client: client)
  }

  /// Ends advertising.
  open func stopAdvertising() {
    guard let client = clientWhenPoweredOn() else { return }
    engine.stopAdvertising(client: client)
    valuesChanged()
  }

  /// Publishes a service, with its characteristics and descriptors as they are now.
  open func add(_ service: CBMutableService) {
    guard let client = clientWhenPoweredOn() else { return }
    engine.add(service, client: client)
  }

  /// Removes a service. It may be changed then, and added again.
  open func remove(_ service: CBMutableService) {
    guard let client = clientWhenPoweredOn() else { return }
    engine.remove(service, client: client)
  }

  /// Removes all services.
  open func removeAllServices() {
    guard clientWhenPoweredOn() != nil else { return }
    engine.removeAllServices()
  }

  /// Answers a request, once: for a read with `request.value`; for requests that were written together, the first one
  /// for all of them.
  open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
    guard clientWhenPoweredOn() != nil else { return }
    engine.respond(to: request, result)
  }

  /// Sends a value to the centrals that are subscribed to a characteristic: to those given, or to all.
  ///
  /// - Returns: false if the queues are full; then nothing was sent, and
  ///   `peripheralManagerIsReady(toUpdateSubscribers:)` follows. A value longer than a central's
  ///   `maximumUpdateValueLength` is truncated for it.
  @discardableResult
  open func updateValue(
    _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
  ) -> Bool {
    guard clientWhenPoweredOn() != nil else { return false }
    return engine.update(value, of: characteristic, only: centrals)
  }

  /// Whether a command is accepted now; if not, with a message in the log.
  func isPoweredOnForCommand() -> Bool { clientWhenPoweredOn() != nil }

  private func clientWhenPoweredOn() -> ClientID? {
    if state == .poweredOn, let client = engine.client { return client }
    Diagnostics.misuse("\(self) can only accept this command while in the powered on state")
    return nil
  }
}
