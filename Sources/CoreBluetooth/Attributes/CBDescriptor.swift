import Foundation
import LatchkeyBluetoothHost

/// A descriptor: a discovered one of a peripheral, or one of this host (`CBMutableDescriptor`).
open class CBDescriptor: CBAttribute {
  struct State {
    weak var characteristic: CBCharacteristic?
    var value: Any?
  }

  let state: Locked<State>
  /// The discovered record; nil for one of this host.
  let remote: Remote<GATTDescriptorRecord>?

  init(
    uuid: CBUUID, value: Any? = nil, characteristic: CBCharacteristic? = nil,
    remote: Remote<GATTDescriptorRecord>? = nil
  ) {
    state = Locked(State(characteristic: characteristic, value: value))
    self.remote = remote
    super.init(uuid: uuid)
  }

  /// The characteristic that contains the descriptor.
  open var characteristic: CBCharacteristic? { state.withLock { $0.characteristic } }

  /// The value that was read last: an `NSNumber` for 2900, 2902 and 2903, a `String` for 2901, else a `Data`.
  open var value: Any? { state.withLock { $0.value } }

  func setCharacteristic(_ characteristic: CBCharacteristic?) {
    state.withLock { $0.characteristic = characteristic }
  }

  /// The class, the UUID and the value.
  open override var description: String {
    "<\(type(of: self)), UUID = \(uuid), value = \(value.map { "\($0)" } ?? "(null)")>"
  }
}

/// A descriptor of this host: a user description (2901, a `String`) or a presentation format (2904, a `Data`).
open class CBMutableDescriptor: CBDescriptor {
  /// A descriptor with a fixed value, readable by all.
  public init(type UUID: CBUUID, value: Any?) {
    super.init(uuid: UUID, value: value)
  }
}
