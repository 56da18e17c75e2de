import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// The position of a published service, and the manager in whose database it is.
struct ServicePlacement {
  var range: AttributeHandleRange
  weak var engine: PeripheralEngine?
  /// What is stored of it for the next launch.
  var record: ServiceRecord?
}

extension PeripheralEngine {
  /// Publishes a service; `didAdd` reports the result.
  func add(_ service: CBMutableService, client: ClientID) {
    publish(service, client: client) { error, clearings in
      callbacks.append(.added(service, error, clearings: clearings), to: self)
    }
    saveState()
  }

  /// Publishes a service. Returns why it cannot be published; nil if it was.
  func publish(_ service: CBMutableService, client: ClientID) -> CBError? {
    var result: CBError?
    publish(service, client: client) { error, _ in result = error }
    return result
  }

  /// - Parameter report: gets the result, and the number of removals of all services so far; not called if such a removal
  ///   came meanwhile.
  private func publish(_ service: CBMutableService, client: ClientID, _ report: (CBError?, Int) -> Void) {
    let clearings = state.withLock { $0.clearings }
    let made: ServiceDefinition
    do {
      made = try ServiceDefinition(of: service, in: self)
    } catch {
      return report(error, clearings)
    }
    let record = restoration == nil ? nil : ServiceRecord(of: service)
    driver.withHost { host, now in
      // A reset that was reported to the app meanwhile removed all services, including this one.
      guard state.withLock({ $0.clearings == clearings }) else { return }
      // Another thread may have published it since it was validated.
      guard made.isNew(service) else { return report(.delivered(.invalidParameters), clearings) }
      do {
        let placement = try host.addService(made.definition, client: client, now: now)
        // With the host locked, so that no request for the service is delivered before the service is published.
        publish(service, made, placement, record)
        report(nil, clearings)
      } catch {
        report(.delivered(.outOfSpace), clearings)
      }
    }
  }

  func remove(_ service: CBMutableService, client: ClientID) {
    guard let range = unpublish(service) else { return }
    driver.withHost { host, now in host.removeService(at: range, client: client, now: now) }
    saveState()
  }

  func removeAllServices() {
    guard let client else { return }
    let ranges = unpublishAll()
    driver.withHost { host, now in
      for range in ranges { host.removeService(at: range, client: client, now: now) }
    }
    saveState()
  }

  /// Removes all services and published channels after a reset, and invalidates additions in progress, in one step.
  func clearServices() {
    driver.withHost { host, now in
      let (client, psms) = state.withLock { state in
        state.clearings += 1
        defer { state.psms = [] }
        return (state.session.client, state.psms)
      }
      guard let client else { return }
      for psm in psms { _ = host.unpublishChannel(psm, client: client) }
      for range in unpublishAll() { host.removeService(at: range, client: client, now: now) }
    }
  }

  /// - Parameter made: has the validated characteristics: the app may have set others meanwhile, and the properties of its
  ///   own classes are not read with the host locked.
  private func publish(
    _ service: CBMutableService, _ made: ServiceDefinition, _ placement: GATTServicePlacement, _ record: ServiceRecord?
  ) {
    let characteristics = made.characteristics
    var record = record
    record?.handle = placement.range.start
    record?.includes = made.definition.includedServices
    service.placement.withLock { $0 = ServicePlacement(range: placement.range, engine: self, record: record) }
    for (characteristic, handle) in zip(characteristics, placement.valueHandles) {
      characteristic.local.withLock {
        $0.publication = CBMutableCharacteristic.Publication(handle: handle, engine: self)
      }
    }
    state.withLock { state in
      state.services.append(service)
      for (characteristic, handle) in zip(characteristics, placement.valueHandles) {
        state.characteristics[handle] = Published(characteristic: characteristic, addition: placement.addition)
      }
    }
  }

  /// Removes a service. Returns its position; nil if it was not this manager's.
  private func unpublish(_ service: CBMutableService) -> AttributeHandleRange? {
    guard let placement = service.placement.withLock({ $0 }), placement.engine === self else { return nil }
    let characteristics = state.withLock { state in
      state.services.removeAll { $0 === service }
      let (inside, outside) = (
        state.characteristics.filter { placement.range.contains($0.key) },
        state.characteristics.filter { !placement.range.contains($0.key) }
      )
      state.characteristics = outside
      return inside.values.map(\.characteristic)
    }
    for characteristic in characteristics {
      characteristic.local.withLock { local in
        local.publication = nil
        local.subscribedCentrals = []
      }
    }
    service.placement.withLock { $0 = nil }
    return placement.range
  }

  @discardableResult
  func unpublishAll() -> [AttributeHandleRange] {
    state.withLock { $0.services }.compactMap { unpublish($0) }
  }
}
