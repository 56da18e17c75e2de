import Foundation
import LatchkeyBluetoothHost

/// A descriptor: of a peripheral, as it was discovered, or of this host (`CBMutableDescriptor`).
open class CBDescriptor: CBAttribute {
  struct State {
    weak var characteristic: CBCharacteristic?
    var value: Any?
  }

  let state: Locked<State>
  /// Where it was discovered; nil for one of this host.
  let remote: Remote<GATTDescriptorRecord>?

  init(
    uuid: CBUUID, value: Any? = nil, characteristic: CBCharacteristic? = nil,
    remote: Remote<GATTDescriptorRecord>? = nil
  ) {
    state = Locked(State(characteristic: characteristic, value: value))
    self.remote = remote
    super.init(uuid: uuid)
  }

  /// The characteristic that has the descriptor.
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
