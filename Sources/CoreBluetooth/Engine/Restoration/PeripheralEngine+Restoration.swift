import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

// The state of a peripheral manager that outlives the process. The callback comes before the first state.
extension PeripheralEngine {
  /// Publishes the services of an earlier process, and gives them and the advertised data to the app. Advertising begins
  /// anew when the radio is on. No other callback reports either.
  func restore() {
    guard let record = restoration?.restored, let client else { return }
    var placed: [AttributeHandle: CBMutableService] = [:]
    var services: [CBMutableService] = []
    for stored in record.services {
      guard let service = stored.makeService(placed), publish(service, client: client) == nil else {
        Diagnostics.notice("the service \(stored.uuid) of the stored state cannot be restored")
        continue
      }
      placed[stored.handle] = service
      services.append(service)
    }
    var dictionary: [String: Any] = [:]
    if !services.isEmpty { dictionary[CBPeripheralManagerRestoredStateServicesKey] = services }
    if let advertisement = record.advertisement {
      state.withLock { $0.advertising.restore(advertisement.parameters) }
      dictionary[CBPeripheralManagerRestoredStateAdvertisementDataKey] = advertisement.dictionary
    }
    saveState()
    callDelegate { $0.peripheralManager($1, willRestoreState: dictionary) }
  }

  /// Stores the state if the app chose that; call it after each change, without a lock.
  func saveState() {
    restoration?.update {
      let (services, advertising) = state.withLock { ($0.services, $0.advertising.wanted) }
      return PeripheralRecord(
        services: services.compactMap { service in service.placement.withLock { $0?.record } },
        advertisement: advertising.map { PeripheralRecord.Advertisement($0) })
    }
  }
}
