import Foundation
import LatchkeyBluetoothHost

/// The values of descriptors as Apple's documentation types them, by UUID.
enum DescriptorValue {
  private static let numbers: [BluetoothUUID] = [0x2900, 0x2902, 0x2903]
  static let clientCharacteristicConfiguration: BluetoothUUID = 0x2902
  private static let userDescription: BluetoothUUID = 0x2901
  private static let presentationFormat: BluetoothUUID = 0x2904
  /// Core 6.0 Vol 3 Part G 3.3.3.5.
  private static let presentationFormatLength = 7

  /// The value of a peer's descriptor; bytes that do not fit the UUID's type stay bytes.
  static func value(of uuid: BluetoothUUID, bytes: [UInt8]) -> Any {
    if numbers.contains(uuid), (1...2).contains(bytes.count) {
      return NSNumber(value: bytes.reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) })
    }
    if uuid == userDescription, let text = String(validating: bytes, as: UTF8.self) { return text }
    return Data(bytes)
  }

  /// The bytes of a local descriptor; nil if an app may not publish that kind or value.
  static func bytes(of uuid: BluetoothUUID, local value: Any?) -> [UInt8]? {
    if let value = value as? DefinedDescriptorValue { return value.bytes }
    return switch uuid {
    case userDescription: (value as? String).map { Array($0.utf8) }
    case presentationFormat: (value as? Data).flatMap { $0.count == presentationFormatLength ? [UInt8]($0) : nil }
    default: nil
    }
  }
}

/// The value of a descriptor of any kind, for devices of definitions: apps may publish two kinds alone.
package struct DefinedDescriptorValue: Sendable {
  let bytes: [UInt8]

  /// A value of these bytes.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }
}
