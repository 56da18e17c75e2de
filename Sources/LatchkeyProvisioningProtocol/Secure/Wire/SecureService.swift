/// The GATT service of the secure protocol. The page SecureProtocol specifies all that is in this folder.
package enum SecureService {
  package static let uuid = "F1CD0001-3F3C-4994-BA65-4321F7F79012"
  /// INFO: what the device speaks.
  package static let information = "F1CD0002-3F3C-4994-BA65-4321F7F79012"
  /// TX: fragments from the app.
  package static let transmit = "F1CD0003-3F3C-4994-BA65-4321F7F79012"
  /// RX: fragments from the device.
  package static let receive = "F1CD0004-3F3C-4994-BA65-4321F7F79012"

  /// The bytes of `uuid`, as they enter a handshake.
  static let identifier: [UInt8] = [
    0xF1, 0xCD, 0x00, 0x01, 0x3F, 0x3C, 0x49, 0x94, 0xBA, 0x65, 0x43, 0x21, 0xF7, 0xF7, 0x90, 0x12,
  ]

  package static let definition = ProvisioningService(
    uuid: uuid,
    characteristics: [
      ProvisioningCharacteristic(uuid: information, properties: .read),
      ProvisioningCharacteristic(uuid: transmit, properties: [.write, .writeWithoutResponse]),
      ProvisioningCharacteristic(uuid: receive, properties: .notify),
    ])
}

/// How the two sides agree on keys.
package enum SecureSuite: UInt8, Hashable, Sendable, CaseIterable {
  /// CPace and ML-KEM-768.
  case hybrid = 1
  /// CPace alone, for small devices and browsers.
  case classical = 2

  /// What a session of this suite proves.
  package var assurance: ProvisioningAssurance { self == .hybrid ? .codeAndPostQuantum : .code }
}
