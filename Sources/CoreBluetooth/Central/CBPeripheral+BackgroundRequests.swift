import Foundation
import LatchkeyBluetoothHost

// Requests that Apple's systems send to a peripheral by themselves, after the app's first requests.
extension CBPeripheral {
  func startBackgroundRequests(on link: LinkID) {
    readName(on: link)
    listenForServiceChanges(on: link)
  }

  /// Reads the name in the GAP service (Core 6.0 Vol 3 Part C 12.1).
  private func readName(on link: LinkID) {
    submit(.readFirst(0x2A00, .all), on: link, mayRaiseSecurity: false) { peripheral, outcome in
      guard case .values(let values) = outcome, let bytes = values.first?.value,
        let name = String(validating: bytes, as: UTF8.self), !name.isEmpty
      else { return }
      peripheral.engine.peers.note(gapName: name, of: peripheral.address)
      if peripheral.setName(name) { peripheral.delegate?.peripheralDidUpdateName(peripheral) }
    }
  }

  /// Subscribes to the peripheral's Service Changed (Core 6.0 Vol 3 Part G 7.1), if it has that characteristic.
  private func listenForServiceChanges(on link: LinkID) {
    submit(.listenForServiceChanges, on: link, mayRaiseSecurity: false) { _, _ in }
  }

  /// Sets the name. Returns true if it changed.
  func setName(_ name: String) -> Bool {
    let hasChanged = current.withLock { state in
      defer { state.name = name }
      return state.name != name
    }
    if hasChanged { valuesChanged() }
    return hasChanged
  }
}
