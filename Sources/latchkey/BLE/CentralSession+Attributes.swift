import CoreBluetooth
import Foundation

/// What the session does with a peripheral's attributes, and the callbacks that answer.
///
/// Core Bluetooth's objects reach the calling task as `Unchecked`: it uses them on the session's queue again alone.
extension CentralSession {
  /// Discovers all services, characteristics and descriptors, and returns them.
  func discover() async throws -> [DiscoveredService] {
    try await wait(for: .services) { [self] in
      guard let peripheral else { return fail(Failure("there is no connection")) }
      peripheral.discoverServices(nil)
    }
    for service in queue.sync(execute: { Unchecked(peripheral?.services ?? []) }).value {
      let service = Unchecked(service)
      try await wait(for: .characteristics(ObjectIdentifier(service.value))) { [self] in
        peripheral?.discoverCharacteristics(nil, for: service.value)
      }
      for characteristic in queue.sync(execute: { Unchecked(service.value.characteristics ?? []) }).value {
        let characteristic = Unchecked(characteristic)
        try await wait(for: .descriptors(ObjectIdentifier(characteristic.value))) { [self] in
          peripheral?.discoverDescriptors(for: characteristic.value)
        }
      }
    }
    return queue.sync { (peripheral?.services ?? []).map(DiscoveredService.init) }
  }

  /// Discovers what `paths` need: their services alone where all name one, and descriptors only where one is named.
  func discover(_ paths: [AttributePath]) async throws {
    let isByHandle = paths.contains { if case .handle = $0.characteristic { true } else { false } }
    if isByHandle || paths.isEmpty { return _ = try await discover() }
    let services = Set(paths.compactMap(\.service)).sorted().compactMap(AttributePath.uuid)
    let isAnywhere = paths.contains { $0.service == nil }
    try await wait(for: .services) { [self] in
      guard let peripheral else { return fail(Failure("there is no connection")) }
      peripheral.discoverServices(isAnywhere ? nil : services)
    }
    for service in queue.sync(execute: { Unchecked(peripheral?.services ?? []) }).value {
      let service = Unchecked(service)
      let wanted = paths.filter { $0.service == nil || $0.service == service.value.uuid.uuidString }
      let uuids = Set(wanted.compactMap(\.uuid)).sorted().compactMap(AttributePath.uuid)
      guard !uuids.isEmpty else { continue }
      try await wait(for: .characteristics(ObjectIdentifier(service.value))) { [self] in
        peripheral?.discoverCharacteristics(uuids, for: service.value)
      }
      for characteristic in queue.sync(execute: { Unchecked(service.value.characteristics ?? []) }).value {
        let characteristic = Unchecked(characteristic)
        let uuid = characteristic.value.uuid.uuidString
        guard wanted.contains(where: { $0.uuid == uuid && $0.descriptor != nil }) else { continue }
        try await wait(for: .descriptors(ObjectIdentifier(characteristic.value))) { [self] in
          peripheral?.discoverDescriptors(for: characteristic.value)
        }
      }
    }
  }

  /// Reads a characteristic or descriptor.
  func read(_ path: AttributePath) async throws -> [UInt8] {
    let found = try find(path)
    let characteristic = found.characteristic
    if let descriptor = found.descriptor {
      return try await wait(for: .value(ObjectIdentifier(descriptor.value))) { [self] in
        peripheral?.readValue(for: descriptor.value)
      }
    }
    return try await wait(for: .value(ObjectIdentifier(characteristic.value))) { [self] in
      peripheral?.readValue(for: characteristic.value)
    }
  }

  /// Writes a characteristic or descriptor, and waits for the answer.
  func write(_ value: [UInt8], to path: AttributePath) async throws {
    let found = try find(path)
    let characteristic = found.characteristic
    if let descriptor = found.descriptor {
      guard descriptor.value.uuid != CBUUID(string: CBUUIDClientCharacteristicConfigurationString) else {
        throw Failure("this descriptor is written by subscribe and unsubscribe")
      }
      try await wait(for: .writing(ObjectIdentifier(descriptor.value))) { [self] in
        peripheral?.writeValue(Data(value), for: descriptor.value)
      }
      return
    }
    try await wait(for: .writing(ObjectIdentifier(characteristic.value))) { [self] in
      peripheral?.writeValue(Data(value), for: characteristic.value, type: .withResponse)
    }
  }

  /// Writes a characteristic without an answer, when the link has room.
  func command(_ value: [UInt8], to path: AttributePath) async throws {
    let characteristic = try find(path).characteristic
    try await wait(for: .readiness) { [self] in
      guard let peripheral else { return fail(Failure("there is no connection")) }
      let limit = peripheral.maximumWriteValueLength(for: .withoutResponse)
      guard value.count <= limit else { return fail(Failure("\(limit) bytes fit a write without response")) }
      if peripheral.canSendWriteWithoutResponse { fulfill(.readiness, nil) }
    }
    queue.sync { peripheral?.writeValue(Data(value), for: characteristic.value, type: .withoutResponse) }
  }

  /// Waits until what was written before has left: a request goes behind it, and any answer will do.
  func passBehind(_ path: AttributePath) async { _ = try? await read(path) }

  /// Subscribes or unsubscribes.
  func setNotify(_ isNotifying: Bool, for path: AttributePath) async throws {
    let characteristic = try find(path).characteristic
    try await wait(for: .notification(ObjectIdentifier(characteristic.value))) { [self] in
      peripheral?.setNotifyValue(isNotifying, for: characteristic.value)
    }
  }
}

extension CentralSession: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    fulfill(.services, error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    fulfill(.characteristics(ObjectIdentifier(service)), error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    fulfill(.descriptors(ObjectIdentifier(characteristic)), error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    let value = [UInt8](characteristic.value ?? Data())
    // Core Bluetooth does not distinguish a value that was read from one that was notified.
    if fulfill(.value(ObjectIdentifier(characteristic)), error, value: value) { return }
    guard error == nil else { return }
    update(FoundAttribute(characteristic), value)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    fulfill(.value(ObjectIdentifier(descriptor)), error, value: DescriptorBytes.bytes(of: descriptor))
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    fulfill(.writing(ObjectIdentifier(characteristic)), error)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    fulfill(.writing(ObjectIdentifier(descriptor)), error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    fulfill(.notification(ObjectIdentifier(characteristic)), error)
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
    fulfill(.readiness, nil)
  }
}

/// A descriptor's value as bytes: Core Bluetooth makes strings and numbers of those that it knows.
enum DescriptorBytes {
  static func bytes(of descriptor: CBDescriptor) -> [UInt8] {
    switch descriptor.value {
    case let data as Data: [UInt8](data)
    case let text as String: Array(text.utf8)
    // 2900, 2902 and 2903 are two bytes, little-endian (Core 6.0 Vol 3 Part G 3.3.3).
    case let number as NSNumber:
      [UInt8(truncatingIfNeeded: number.intValue), UInt8(truncatingIfNeeded: number.intValue >> 8)]
    default: []
    }
  }
}
