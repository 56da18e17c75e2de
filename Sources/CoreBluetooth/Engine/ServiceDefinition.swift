import Foundation
import LatchkeyBluetoothHost

/// Converts an app's service to the host's definition, or throws why it cannot be published.
struct ServiceDefinition {
  /// The host's definition.
  private(set) var definition: GATTServiceDefinition
  /// The app's objects of the characteristics, in the order of the definition.
  private(set) var characteristics: [CBMutableCharacteristic] = []

  /// The services that every host has: Generic Access and Generic Attribute.
  private static let reserved: [BluetoothUUID] = [0x1800, 0x1801]

  init(of service: CBMutableService, in engine: PeripheralEngine) throws(CBError) {
    guard service.placement.withLock({ $0 == nil }) else {
      Diagnostics.misuse("\(service) has been added already")
      throw .delivered(.invalidParameters)
    }
    let uuid = service.uuid.bluetoothUUID
    guard !Self.reserved.contains(uuid) else { throw .delivered(.uuidNotAllowed) }
    definition = GATTServiceDefinition(uuid: uuid, isPrimary: service.isPrimary)
    for included in service.includedServices ?? [] {
      guard let placement = (included as? CBMutableService)?.placement.withLock({ $0 }), placement.engine === engine
      else {
        Diagnostics.misuse("\(included) has to be added before \(service) that includes it")
        throw .delivered(.invalidParameters)
      }
      definition.includedServices.append(placement.range.start)
    }
    for characteristic in service.characteristics ?? [] {
      guard let local = characteristic as? CBMutableCharacteristic, local.local.withLock({ $0.publication == nil })
      else {
        Diagnostics.misuse("\(characteristic) is not a characteristic that can be added")
        throw .delivered(.invalidParameters)
      }
      definition.characteristics.append(try Self.make(of: local))
      characteristics.append(local)
    }
  }

  /// Whether neither the service nor one of its characteristics is published. No property of an app's class is read.
  func isNew(_ service: CBMutableService) -> Bool {
    service.placement.withLock { $0 == nil }
      && characteristics.allSatisfy { $0.local.withLock { $0.publication == nil } }
  }

  private static func make(
    of characteristic: CBMutableCharacteristic
  ) throws(CBError) -> GATTCharacteristicDefinition {
    let (properties, permissions) = (characteristic.properties, characteristic.permissions)
    guard properties.isDisjoint(with: [.broadcast, .extendedProperties]) else {
      Diagnostics.misuse("Broadcast and extended properties are not allowed for local characteristics")
      throw .delivered(.invalidParameters)
    }
    if let value = characteristic.value {
      guard properties.subtracting(.read).isEmpty, permissions.isSubset(of: [.readable, .readEncryptionRequired]) else {
        Diagnostics.misuse("Characteristics with cached values must be read-only")
        throw .delivered(.invalidParameters)
      }
      guard value.count <= ATTLimits.longestValue else { throw .delivered(.invalidParameters) }
    }
    // Other bits are no permissions of an app.
    let named: CBAttributePermissions = [.readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired]
    var definition = GATTCharacteristicDefinition(
      uuid: characteristic.uuid.bluetoothUUID,
      properties: GATTProperties(rawValue: UInt8(truncatingIfNeeded: properties.rawValue)),
      permissions: GATTPermissions(rawValue: UInt8(truncatingIfNeeded: permissions.intersection(named).rawValue)),
      staticValue: characteristic.value.map { [UInt8]($0) })
    // The declaration has no bits for these two: the configuration's permission carries the need for encryption.
    if properties.contains(.notifyEncryptionRequired) { definition.properties.insert(.notify) }
    if properties.contains(.indicateEncryptionRequired) { definition.properties.insert(.indicate) }
    definition.needsEncryptionToSubscribe = !properties.isDisjoint(with: [
      .notifyEncryptionRequired, .indicateEncryptionRequired,
    ])
    definition.asksToSubscribe = characteristic.asksToSubscribe
    for descriptor in characteristic.descriptors ?? [] {
      let uuid = descriptor.uuid.bluetoothUUID
      guard let bytes = DescriptorValue.bytes(of: uuid, local: descriptor.value),
        bytes.count <= ATTLimits.longestValue
      else {
        Diagnostics.misuse("\(descriptor) is neither a user description nor a presentation format")
        throw .delivered(.invalidParameters)
      }
      definition.descriptors.append(GATTDescriptorDefinition(uuid: uuid, value: bytes))
    }
    return definition
  }
}
