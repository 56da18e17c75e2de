/// The names and numbers of Improv over Bluetooth LE, version 2.4 (improv-wifi.com, "Improv via BLE").
package enum ImprovService {
  package static let uuid = "00467768-6228-2272-4663-277478268000"
  package static let state = "00467768-6228-2272-4663-277478268001"
  package static let error = "00467768-6228-2272-4663-277478268002"
  package static let command = "00467768-6228-2272-4663-277478268003"
  package static let result = "00467768-6228-2272-4663-277478268004"
  package static let capabilities = "00467768-6228-2272-4663-277478268005"
  /// The UUID of the advertised service data.
  package static let serviceDataUUID: UInt16 = 0x4677

  /// The service as a device offers it. Clients write commands with and without response; both are taken.
  package static let service = ProvisioningService(
    uuid: uuid,
    characteristics: [
      ProvisioningCharacteristic(uuid: state, properties: [.read, .notify]),
      ProvisioningCharacteristic(uuid: error, properties: [.read, .notify]),
      ProvisioningCharacteristic(uuid: command, properties: [.write, .writeWithoutResponse]),
      ProvisioningCharacteristic(uuid: result, properties: [.read, .notify]),
      ProvisioningCharacteristic(uuid: capabilities, properties: .read),
    ])

  /// The advertised service data: state, capabilities, and four bytes that are reserved. Home Assistant takes exactly six.
  package static func serviceData(_ state: ImprovState, _ capabilities: ImprovCapabilities) -> [UInt8] {
    [state.rawValue, capabilities.rawValue, 0, 0, 0, 0]
  }
}

/// What an Improv service is doing: the value of its state characteristic.
package enum ImprovState: UInt8, Sendable {
  /// The service does not run. Never sent: Home Assistant's client reports it as an error.
  case stopped = 0
  case authorizationRequired = 1
  case authorized = 2
  case provisioning = 3
  case provisioned = 4
}

/// The value of the error characteristic.
package struct ImprovError: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let none = ImprovError(rawValue: 0)
  package static let invalidCommand = ImprovError(rawValue: 1)
  package static let unknownCommand = ImprovError(rawValue: 2)
  package static let unableToConnect = ImprovError(rawValue: 3)
  package static let notAuthorized = ImprovError(rawValue: 4)
  /// Since 2.3: no host, or since 2.4 no device, may have the name.
  package static let badName = ImprovError(rawValue: 5)
  package static let unknown = ImprovError(rawValue: 0xFF)
}

/// What a device says that it can do. There is no bit for the device's name (2.4).
package struct ImprovCapabilities: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let identify = ImprovCapabilities(rawValue: 1 << 0)
  package static let information = ImprovCapabilities(rawValue: 1 << 1)
  package static let scan = ImprovCapabilities(rawValue: 1 << 2)
  package static let hostname = ImprovCapabilities(rawValue: 1 << 3)
}

/// The commands.
package enum ImprovCommand: UInt8, Sendable {
  case join = 1
  case identify = 2
  case information = 3
  case scan = 4
  case hostname = 5
  case name = 6
}
