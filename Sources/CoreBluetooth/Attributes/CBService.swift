import Foundation
import LatchkeyBluetoothHost

/// A service: a discovered one of a peripheral, or one of this host (`CBMutableService`).
open class CBService: CBAttribute {
  struct State {
    weak var peripheral: CBPeripheral?
    var includedServices: [CBService]?
    var characteristics: [CBCharacteristic]?
  }

  let state: Locked<State>
  /// The discovered record; nil for one of this host.
  let remote: Remote<GATTServiceRecord>?
  private let primary: Bool

  init(uuid: CBUUID, isPrimary: Bool, peripheral: CBPeripheral? = nil, remote: Remote<GATTServiceRecord>? = nil) {
    state = Locked(State(peripheral: peripheral))
    primary = isPrimary
    self.remote = remote
    super.init(uuid: uuid)
  }

  /// The peripheral that contains the service; nil for one of this host.
  open var peripheral: CBPeripheral? { state.withLock { $0.peripheral } }

  /// Whether the service is primary, or secondary: only to be included by others.
  open var isPrimary: Bool { primary }

  /// The services that it includes, once they were discovered.
  open var includedServices: [CBService]? { state.withLock { $0.includedServices } }

  /// Its characteristics, once they were discovered.
  open var characteristics: [CBCharacteristic]? { state.withLock { $0.characteristics } }

  /// The class, the UUID and whether the service is primary.
  open override var description: String {
    "<\(type(of: self)), isPrimary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid)>"
  }
}
