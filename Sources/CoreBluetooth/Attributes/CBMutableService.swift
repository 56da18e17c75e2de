import Foundation

/// A service of this host, for `CBPeripheralManager.add(_:)`.
///
/// Once it is added it is fixed: setting a property then is a misuse, logged and without effect.
open class CBMutableService: CBService {
  /// The position of the service in the database of a peripheral manager; nil if it is in none.
  let placement = Locked<ServicePlacement?>(nil)

  /// A service without characteristics.
  public init(type UUID: CBUUID, primary isPrimary: Bool) {
    super.init(uuid: UUID, isPrimary: isPrimary)
  }

  /// The services that it includes; they must have been added before.
  open override var includedServices: [CBService]? {
    get { super.includedServices }
    set {
      guard mayChange() else { return }
      state.withLock { $0.includedServices = newValue }
    }
  }

  /// Its characteristics, each a `CBMutableCharacteristic`.
  open override var characteristics: [CBCharacteristic]? {
    get { super.characteristics }
    set {
      guard mayChange() else { return }
      let previous = state.withLock { state in
        defer { state.characteristics = newValue }
        return state.characteristics
      }
      for characteristic in previous ?? [] { characteristic.setService(nil) }
      for characteristic in newValue ?? [] { characteristic.setService(self) }
    }
  }

  private func mayChange() -> Bool {
    guard placement.withLock({ $0 == nil }) else {
      Diagnostics.misuse("\(self) has been published and is immutable")
      return false
    }
    return true
  }
}
