/// The attribute types and characteristics that a GATT server and client use themselves (Assigned Numbers 3.5-3.8).
package enum AttributeType {
  /// Declares a primary service.
  package static var primaryService: BluetoothUUID { BluetoothUUID(0x2800 as UInt16) }
  /// Declares a secondary service.
  package static var secondaryService: BluetoothUUID { BluetoothUUID(0x2801 as UInt16) }
  /// Declares an included service.
  package static var include: BluetoothUUID { BluetoothUUID(0x2802 as UInt16) }
  /// Declares a characteristic.
  package static var characteristic: BluetoothUUID { BluetoothUUID(0x2803 as UInt16) }
  /// Client Characteristic Configuration.
  package static var clientConfiguration: BluetoothUUID { BluetoothUUID(0x2902 as UInt16) }
  /// The Generic Access service.
  package static var genericAccess: BluetoothUUID { BluetoothUUID(0x1800 as UInt16) }
  /// The Generic Attribute service.
  package static var genericAttribute: BluetoothUUID { BluetoothUUID(0x1801 as UInt16) }
  /// Device Name.
  package static var deviceName: BluetoothUUID { BluetoothUUID(0x2A00 as UInt16) }
  /// Appearance.
  package static var appearance: BluetoothUUID { BluetoothUUID(0x2A01 as UInt16) }
  /// Service Changed.
  package static var serviceChanged: BluetoothUUID { BluetoothUUID(0x2A05 as UInt16) }
  /// Client Supported Features.
  package static var clientFeatures: BluetoothUUID { BluetoothUUID(0x2B29 as UInt16) }
  /// Database Hash.
  package static var databaseHash: BluetoothUUID { BluetoothUUID(0x2B2A as UInt16) }
  /// Server Supported Features.
  package static var serverFeatures: BluetoothUUID { BluetoothUUID(0x2B3A as UInt16) }
}
