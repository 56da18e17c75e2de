import Foundation
import LatchkeyBluetoothHost

/// A peripheral that a central manager found, knows or is connected to.
///
/// There is one object for each device and manager. The manager does not retain it: an app that connects must retain
/// it, or the connection is canceled.
open class CBPeripheral: CBPeer {
  struct State {
    weak var delegate: (any CBPeripheralDelegate)?
    var connection = ConnectionProgress()
    var name: String?
    var services: [CBService]?
    /// Every service of this connection that the app may hold, included ones too, by the handle of its declaration.
    var knownServices: [AttributeHandle: CBService] = [:]
    var characteristics: [AttributeHandle: CBCharacteristic] = [:]
    /// Requests that are not answered yet, in the order of the app's calls.
    var requests: [PeripheralRequest] = []
    /// The number of unanswered reads of the signal strength.
    var awaitedRSSIs = 0
    /// The signal strength that was read last on this connection, dBm.
    var rssi: NSNumber?
    /// The channel sounding session, while one is active.
    var sounding: ChannelSoundingSession?
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

  /// Receives the peripheral's callbacks; not retained.
  open var delegate: (any CBPeripheralDelegate)? {
    get { current.withLock { $0.delegate } }
    set { current.withLock { $0.delegate = newValue } }
  }

  /// The name in the device's GAP service; until that was read, the advertised name.
  open var name: String? { current.withLock { $0.name } }

  /// The state of the connection.
  open var state: CBPeripheralState { current.withLock { $0.connection.state } }

  /// The services that were discovered on this connection, in the order of their handles.
  open var services: [CBService]? { current.withLock { $0.services } }

  /// Whether a write without response would be accepted now; if not, `peripheralIsReady(toSendWriteWithoutResponse:)`
  /// follows.
  open var canSendWriteWithoutResponse: Bool {
    guard let link = current.withLock({ $0.connection.link }) else { return false }
    return engine.canSendWriteWithoutResponse(on: link)
  }

  /// The longest value of one write: 512 bytes with a response, ATT_MTU - 3, 20...512, without.
  @discardableResult
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
    guard type == .withoutResponse else { return ATTLimits.longestValue }
    guard let link = current.withLock({ $0.connection.link }) else {
      return ATTLimits.valueLength(mtu: ATTLimits.defaultMTU)
    }
    return ATTLimits.valueLength(mtu: engine.mtu(of: link))
  }

  /// Reads the signal strength of the connection.
  open func readRSSI() {
    guard let link = connectedLink() else { return }
    current.withLock { $0.awaitedRSSIs += 1 }
    engine.readRSSI(link)
  }

  /// The signal strength that was read last on this connection, in dBm.
  @available(*, deprecated, message: "Use readRSSI() and the delegate's method.")
  open var rssi: NSNumber? { current.withLock { $0.rssi } }

  /// Whether the device may receive Apple's notifications: never, Linux has no such service.
  open var ancsAuthorized: Bool { false }

  /// The value of a key: `identifier`, `name`, `state`, `services` or `canSendWriteWithoutResponse`.
  open override func value(forKey key: String) -> Any? {
    switch key {
    case "name": name
    case "state": NSNumber(value: state.rawValue)
    case "services": services
    case "canSendWriteWithoutResponse": NSNumber(value: canSendWriteWithoutResponse)
    default: super.value(forKey: key)
    }
  }

  /// The class, identifier, name and state.
  open override var description: String {
    let state = String(describing: state)
    return "<\(type(of: self)), identifier = \(identifier), name = \(name ?? "(null)"), state = \(state)>"
  }

  /// The connection for a request; nil if there is none, with a message in the log.
  func connectedLink() -> LinkID? {
    if let link = current.withLock({ $0.connection.usableLink }) { return link }
    Diagnostics.misuse("\(self) can only accept commands while in the connected state")
    return nil
  }
}

/// The state of the connection to a peripheral.
public enum CBPeripheralState: Int, Sendable {
  /// Not connected.
  case disconnected = 0
  /// A connection was requested.
  case connecting = 1
  /// Connected.
  case connected = 2
  /// The end of the connection was requested.
  case disconnecting = 3
}
