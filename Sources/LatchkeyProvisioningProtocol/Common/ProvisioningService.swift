/// A GATT service of a provisioning protocol, as a device defines it and an app finds it.
package struct ProvisioningService: Hashable, Sendable {
  /// Its UUID: 4 or 36 upper-case characters, as `CBUUID.uuidString` writes it.
  package let uuid: String
  package let characteristics: [ProvisioningCharacteristic]

  package init(uuid: String, characteristics: [ProvisioningCharacteristic]) {
    self.uuid = uuid
    self.characteristics = characteristics
  }
}

/// A characteristic of such a service.
package struct ProvisioningCharacteristic: Hashable, Sendable {
  /// What it can do (Core 6.0 Vol 3 Part G 3.3.1.1).
  package struct Properties: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let read = Properties(rawValue: 0x02)
    package static let writeWithoutResponse = Properties(rawValue: 0x04)
    package static let write = Properties(rawValue: 0x08)
    package static let notify = Properties(rawValue: 0x10)
    package static let indicate = Properties(rawValue: 0x20)
  }

  /// Its UUID, written as the service's.
  package let uuid: String
  package let properties: Properties
  /// The text of its Characteristic User Description (2901); nil if there is none.
  package let userDescription: String?

  package init(uuid: String, properties: Properties, userDescription: String? = nil) {
    self.uuid = uuid
    self.properties = properties
    self.userDescription = userDescription
  }
}
