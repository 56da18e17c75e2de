import CoreBluetooth
public import Foundation

extension DeviceDefinition {
  /// A keyboard, after the HID over GATT Profile 1.0: reports and boot reports of eight bytes, which only paired apps get, a
  /// battery, and who made it. ``keyReport(usage:modifiers:)`` makes what it notifies of `1812/2A4D`.
  public static func keyboard() -> DeviceDefinition {
    let released = Data(repeating: 0x00, count: 8)
    let secret: CBAttributePermissions = [.readEncryptionRequired, .writeEncryptionRequired]
    let keyboard = DeviceDefinition(
      name: "Keyboard",
      services: [
        Service(
          "1812",
          characteristics: [
            // 1: reports, not boot reports (HID Service 1.0, 2.8).
            Characteristic("2A4E", [.read, .writeWithoutResponse], permissions: secret, value: Data([0x01])),
            Characteristic("2A4B", .read, permissions: secret, value: Data(reportMap)),
            // Report Reference (2.5.3.2): no report identifier, input and output.
            Characteristic(
              "2A4D", [.read, .notifyEncryptionRequired], permissions: secret, value: released,
              descriptors: [Descriptor("2908", value: Data([0x00, 0x01]))]),
            Characteristic(
              "2A4D", [.read, .write, .writeWithoutResponse], permissions: secret, value: Data([0x00]),
              descriptors: [Descriptor("2908", value: Data([0x00, 0x02]))]),
            Characteristic("2A22", [.read, .notifyEncryptionRequired], permissions: secret, value: released),
            Characteristic("2A32", [.read, .write, .writeWithoutResponse], permissions: secret, value: Data([0x00])),
            // HID 1.11, no country, normally connectable (2.10).
            Characteristic("2A4A", .read, permissions: secret, value: Data([0x11, 0x01, 0x00, 0x02])),
            Characteristic("2A4C", .writeWithoutResponse, permissions: secret),
          ])
      ])
    return keyboard.adding(.battery()).adding(.deviceInformation(pnp: (0xFFFF, 0x0001, 0x0100)))
  }

  /// A report of the keyboard: one key, or none, with modifiers.
  ///
  /// - Parameters:
  ///   - usage: the key (HID Usage Tables, Keyboard/Keypad Page): 0x04 for A; 0 when it is released.
  ///   - modifiers: a bit for each of the eight, left Control first.
  public static func keyReport(usage: UInt8, modifiers: UInt8 = 0) -> Data {
    Data([modifiers, 0, usage, 0, 0, 0, 0, 0])
  }

  /// The keyboard of the HID specification (1.11, appendix B.1).
  private static let reportMap: [UInt8] = [
    0x05, 0x01, 0x09, 0x06, 0xA1, 0x01,  // Generic Desktop, Keyboard, Application
    0x05, 0x07, 0x19, 0xE0, 0x29, 0xE7, 0x15, 0x00, 0x25, 0x01,  // Key codes: the modifiers, 0 or 1
    0x75, 0x01, 0x95, 0x08, 0x81, 0x02,  // 8 bits of input
    0x95, 0x01, 0x75, 0x08, 0x81, 0x01,  // a reserved byte
    0x95, 0x05, 0x75, 0x01, 0x05, 0x08, 0x19, 0x01, 0x29, 0x05, 0x91, 0x02,  // 5 lamps of output
    0x95, 0x01, 0x75, 0x03, 0x91, 0x01,  // 3 bits of padding
    0x95, 0x06, 0x75, 0x08, 0x15, 0x00, 0x25, 0x65,  // 6 bytes, 0 to 101
    0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x81, 0x00,  // Key codes: the keys
    0xC0,
  ]
}
