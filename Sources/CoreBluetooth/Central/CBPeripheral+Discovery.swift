import Foundation
import LatchkeyBluetoothHost

extension CBPeripheral {
  /// Discovers services: those of the given UUIDs, or all.
  public func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    guard let link = connectedLink() else { return }
    let filter = serviceUUIDs?.map(\.bluetoothUUID)
    submit(.discoverServices(filter), on: link) { peripheral, outcome in
      if case .services(let records) = outcome { peripheral.merge(records, discoveredBy: filter, on: link) }
      peripheral.delegate?.peripheral(peripheral, didDiscoverServices: outcome.error)
    }
  }

  /// Discovers the services that a service includes: those of the given UUIDs, or all.
  public func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
    guard let link = connectedLink() else { return }
    let filter = includedServiceUUIDs?.map(\.bluetoothUUID)
    func answer(_ peripheral: CBPeripheral, _ outcome: GATTOutcome) {
      if case .includedServices(let records) = outcome {
        let included = records.filter { filter?.contains($0.uuid) ?? true }.map { peripheral.service($0, on: link) }
        service.state.withLock { state in
          let others = filter.map { filter in
            (state.includedServices ?? []).filter { !filter.contains($0.uuid.bluetoothUUID) }
          }
          state.includedServices = (others ?? []) + included
        }
      }
      peripheral.delegate?.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: outcome.error)
    }
    guard let record = record(service.remote, on: link, else: answer) else { return }
    submit(.discoverIncludedServices(record.range), on: link, answer: answer)
  }

  /// Discovers characteristics of a service: those of the given UUIDs, or all.
  public func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    guard let link = connectedLink() else { return }
    let filter = characteristicUUIDs?.map(\.bluetoothUUID)
    func answer(_ peripheral: CBPeripheral, _ outcome: GATTOutcome) {
      if case .characteristics(let records) = outcome {
        peripheral.merge(records, discoveredBy: filter, of: service)
      }
      peripheral.delegate?.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: outcome.error)
    }
    guard let record = record(service.remote, on: link, else: answer) else { return }
    submit(.discoverCharacteristics(record.range), on: link, answer: answer)
  }

  /// Discovers all descriptors of a characteristic.
  public func discoverDescriptors(for characteristic: CBCharacteristic) {
    guard let link = connectedLink() else { return }
    func answer(_ peripheral: CBPeripheral, _ outcome: GATTOutcome) {
      if case .descriptors(let records) = outcome { peripheral.merge(records, of: characteristic) }
      peripheral.delegate?.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: outcome.error)
    }
    guard let record = record(characteristic.remote, on: link, else: answer) else { return }
    guard record.valueHandle < record.end else { return answerLocally(.descriptors([]), answer: answer) }
    submit(.discoverDescriptors(AttributeHandleRange(record.valueHandle + 1, record.end)), on: link, answer: answer)
  }

  /// The engine's record of a discovered attribute; nil if it is not of this connection, with an answer in order.
  func record<Record>(
    _ remote: Remote<Record>?, on link: LinkID, else answer: @escaping (CBPeripheral, GATTOutcome) -> Void
  ) -> Record? {
    if let remote, remote.origin.link == link, remote.origin.isValid { return remote.record }
    answerLocally(.failed(.refused(.invalidHandle, handle: 0)), answer: answer)
    return nil
  }
}

extension CBPeripheral {
  /// The one object of a service on this connection.
  private func service(_ record: GATTServiceRecord, on link: LinkID) -> CBService {
    current.withLock { state in
      if let known = state.knownServices[record.range.start], known.isSame(as: record) { return known }
      let service = CBService(
        uuid: CBUUID(record.uuid), isPrimary: record.isPrimary, peripheral: self,
        remote: Remote(record: record, origin: RemoteOrigin(link: link)))
      state.knownServices[record.range.start] = service
      return service
    }
  }

  private func merge(_ records: [GATTServiceRecord], discoveredBy filter: [BluetoothUUID]?, on link: LinkID) {
    let found = records.map { service($0, on: link) }
    current.withLock { state in
      // A discovery by UUIDs does not cover services with other UUIDs.
      let others = filter.map { filter in
        (state.services ?? []).filter { !filter.contains($0.uuid.bluetoothUUID) }
      }
      state.services = ((others ?? []) + found).sorted { $0.startHandle < $1.startHandle }
    }
    valuesChanged()
    engine.peers.note(services: records.map(\.uuid), of: address)
  }

  private func merge(
    _ records: [GATTCharacteristicRecord], discoveredBy filter: [BluetoothUUID]?, of service: CBService
  ) {
    guard let origin = service.remote?.origin else { return }
    let known = service.characteristics ?? []
    var merged: [CBCharacteristic] = []
    for record in records {
      if let same = known.first(where: { $0.remote?.record == record }) {
        merged.append(same)
      } else if filter?.contains(record.uuid) ?? true {
        let characteristic = CBCharacteristic(
          uuid: CBUUID(record.uuid), properties: CBCharacteristicProperties(rawValue: UInt(record.properties.rawValue)),
          service: service, remote: Remote(record: record, origin: origin))
        merged.append(characteristic)
        current.withLock { $0.characteristics[record.valueHandle] = characteristic }
      }
    }
    service.state.withLock { $0.characteristics = merged }
  }

  private func merge(_ records: [GATTDescriptorRecord], of characteristic: CBCharacteristic) {
    guard let origin = characteristic.remote?.origin else { return }
    let known = characteristic.descriptors ?? []
    let merged = records.map { record in
      known.first { $0.remote?.record == record }
        ?? CBDescriptor(
          uuid: CBUUID(record.uuid), characteristic: characteristic, remote: Remote(record: record, origin: origin))
    }
    characteristic.state.withLock { $0.descriptors = merged }
  }
}

extension CBService {
  fileprivate var startHandle: AttributeHandle { remote?.record.range.start ?? 0 }

  fileprivate func isSame(as record: GATTServiceRecord) -> Bool {
    guard let remote, remote.origin.isValid else { return false }
    return remote.record.uuid == record.uuid && remote.record.range == record.range
  }
}
