import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

// The state of a central manager that outlives the process. The callback comes before the first state; connections and
// the scan begin anew when the radio is on.
extension CentralEngine {
  /// Gives the app the state of an earlier process. Its peripherals are `connecting`; the app must retain them.
  func restore() {
    guard let record = restoration?.restored else { return }
    let connections = record.connections.prefix(RestorationLimits.connections)
    let peripherals = connections.compactMap { connection in
      connection.peer.value.map { address in
        let peripheral = peripheral(at: address)
        _ = peripheral.current.withLock { $0.connection.connect(reconnects: connection.reconnects) }
        return peripheral
      }
    }
    let scan = record.scan?.request
    state.withLock { $0.restoring = record }
    var dictionary: [String: Any] = [:]
    if !peripherals.isEmpty { dictionary[CBCentralManagerRestoredStatePeripheralsKey] = peripherals }
    if let services = scan?.services {
      dictionary[CBCentralManagerRestoredStateScanServicesKey] = services.map { CBUUID($0) }
    }
    if let scan {
      var options: [String: Any] = [:]
      options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = scan.solicitedServices.map { $0.map { CBUUID($0) } }
      options[CBCentralManagerScanOptionAllowDuplicatesKey] = scan.allowsDuplicates.map { NSNumber(value: $0) }
      dictionary[CBCentralManagerRestoredStateScanOptionsKey] = options
    }
    callDelegate { $0.centralManager($1, willRestoreState: dictionary) }
  }

  /// Requests the restored connections that the app retained, and starts the restored scan, when the radio is on for the
  /// first time.
  func resumeRestored() {
    guard let record = state.withLock({ $0.restoring.take() }), let client else { return }
    for connection in record.connections.prefix(RestorationLimits.connections) {
      guard let peripheral = connection.peer.value.flatMap(existingPeripheral(at:)) else { continue }
      command {
        // A radio that was off meanwhile has ended the request.
        peripheral.current.withLock { $0.connection.connect(reconnects: connection.reconnects) } != .alreadyConnected
      } _: { host, now in
        host.connect(client, to: peripheral.address, now: now)
      }
      peripheral.valuesChanged()
    }
    if let scan = record.scan?.request { startScan(scan, client: client) }
  }

  /// Starts a scan, which replaces the one before.
  func startScan(_ request: ScanRequest, client: ClientID) {
    command {
      state.withLock { $0.scan = request }
      return true
    } _: { host, now in
      host.startScan(
        client, services: request.services, solicitedServices: request.solicitedServices ?? [],
        allowDuplicates: request.allowsDuplicates ?? false, now: now)
    }
  }

  /// Stores the state if the app chose that; call it after each change, without a lock.
  func saveState() {
    restoration?.update {
      let (restoring, scan, peripherals) = state.withLock { state in
        (state.restoring, state.scan, state.peripherals.values.compactMap(\.object))
      }
      // Before the radio is on nothing else can be requested.
      if let restoring { return restoring }
      let connections = peripherals.sorted { $0.address.value < $1.address.value }.compactMap { peripheral in
        let connection = peripheral.current.withLock { $0.connection }
        return connection.isWanted
          ? CentralRecord.Connection(peer: StoredAddress(peripheral.address), reconnects: connection.reconnects) : nil
      }
      return CentralRecord(connections: connections, scan: scan.map { CentralRecord.Scan($0) })
    }
  }
}
