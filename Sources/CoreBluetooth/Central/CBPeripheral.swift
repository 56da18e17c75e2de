import Foundation
import LatchkeyBluetoothHost

/// A peripheral that a central manager found, knows or is connected to.
///
/// There is one object for each device and manager. The manager does not keep it: an app that connects keeps it itself,
/// else the connection is cancelled.
open class CBPeripheral: CBPeer {
  struct State {
    weak var delegate: (any CBPeripheralDelegate)?
    var connection = ConnectionProgress()
    var name: String?
    var services: [CBService]?
    /// Every service of this connection that the app may hold, included ones too, by the handle of its declaration.
    var knownServices: [AttributeHandle: CBService] = [:]
    var characteristics: [AttributeHandle: CBCharacteristic] = [:]
    /// Requests that were not answered yet, in the order of the app's calls.
    var requests: [PeripheralRequest] = []
    /// How often the app asked for the signal strength and was not answered yet.
    var awaitedRSSIs = 0
  }

  let engine: CentralEngine
  let address: BluetoothAddress
  let current: Locked<State>

  init(identifier: UUID, address: BluetoothAddress, name: String?, engine: CentralEngine) {
    self.engine = engine
    self.address = address
    current = Locked(State(name: name))
    super.init(identifier: identifier)
  }

  deinit {
    engine.peripheralWasDropped(address, isInUse: current.withLock { $0.connection.state } != .disconnected)
  }

  /// Is told what happens to the peripheral; not kept alive.
  open var delegate: (any CBPeripheralDelegate)? {
    get { current.withLock { $0.delegate } }
    set { current.withLock { $0.delegate = newValue } }
  }

  /// The name that the device states in its GAP service; before that was read, the name that it advertised.
  open var name: String? { current.withLock { $0.name } }

  /// The state of the connection.
  open var state: CBPeripheralState { current.withLock { $0.connection.state } }

  /// The services that were discovered on this connection, in the order of their handles.
  open var services: [CBService]? { current.withLock { $0.services } }

  /// Whether a write without response would be taken now; if not, `peripheralIsReady(toSendWriteWithoutResponse:)`
  /// follows.
  open var canSendWriteWithoutResponse: Bool {
    guard let link = current.withLock({ $0.connection.link }) else { return false }
    return engine.canSendWriteWithoutResponse(on: link)
  }

  /// The longest value of one write: 512 bytes with a response, ATT_MTU - 3, 20...512, without.
  @discardableResult
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
    guard type == .withoutResponse else { return ATTLimits.maximumValueLength }
    guard let link = current.withLock({ $0.connection.link }) else { return ATTLimits.minimumValueLength }
    return ATTLimits.valueLength(mtu: engine.mtu(of: link))
  }

  /// Asks for the signal strength of the connection.
  open func readRSSI() {
    guard let link = connectedLink() else { return }
    current.withLock { $0.awaitedRSSIs += 1 }
    engine.readRSSI(link)
  }

  /// The class, identifier, name and state.
  open override var description: String {
    let state = String(describing: state)
    return "<\(type(of: self)), identifier = \(identifier), name = \(name ?? "(null)"), state = \(state)>"
  }

  /// The connection to ask on; nil, and a word in the log, if there is none.
  func connectedLink() -> LinkID? {
    if let link = current.withLock({ $0.connection.usableLink }) { return link }
    Diagnostics.misuse("\(self) can only accept commands while in the connected state")
    return nil
  }
}
