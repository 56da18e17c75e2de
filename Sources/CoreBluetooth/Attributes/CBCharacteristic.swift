public import Foundation
import LatchkeyBluetoothHost

/// A characteristic: a discovered one of a peripheral, or one of this host (`CBMutableCharacteristic`).
open class CBCharacteristic: CBAttribute {
  struct State {
    weak var service: CBService?
    var properties: CBCharacteristicProperties
    var value: Data?
    var descriptors: [CBDescriptor]?
    var isNotifying = false
    /// Whether the app asked for values: set by the call itself, since a peer may send a value before it has answered.
    var wantsValues = false
  }

  let state: Locked<State>
  /// The discovered record; nil for one of this host.
  let remote: Remote<GATTCharacteristicRecord>?

  init(
    uuid: CBUUID, properties: CBCharacteristicProperties, value: Data? = nil, service: CBService? = nil,
    remote: Remote<GATTCharacteristicRecord>? = nil
  ) {
    state = Locked(State(service: service, properties: properties, value: value))
    self.remote = remote
    super.init(uuid: uuid)
  }

  /// The service that contains the characteristic.
  open var service: CBService? { state.withLock { $0.service } }

  /// The operations that the characteristic offers.
  open var properties: CBCharacteristicProperties { state.withLock { $0.properties } }

  /// The value that was read or notified last; it is set on the manager's queue, right before the delegate's callback.
  open var value: Data? { state.withLock { $0.value } }

  /// Its descriptors, once they were discovered.
  open var descriptors: [CBDescriptor]? { state.withLock { $0.descriptors } }

  /// Whether its values are notified or indicated to this manager.
  open var isNotifying: Bool { state.withLock { $0.isNotifying } }

  /// Whether its values are broadcast: never, as on Apple's systems.
  @available(*, deprecated, message: "No value is broadcast.")
  open var isBroadcasted: Bool { false }

  func setService(_ service: CBService?) { state.withLock { $0.service = service } }

  /// The class, the UUID, the properties, the value and whether it is notified.
  open override var description: String {
    let value = value.map { "{length = \($0.count), bytes = 0x\($0.map { String(format: "%02x", $0) }.joined())}" }
    return "<\(type(of: self)), UUID = \(uuid), properties = 0x\(String(properties.rawValue, radix: 16)), "
      + "value = \(value ?? "(null)"), notifying = \(isNotifying ? "YES" : "NO")>"
  }
}
