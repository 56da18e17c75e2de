/// Why a service was not added to a database: in each case the definition's fault, and nothing was added.
public enum GATTDatabaseError: Error, Hashable, Sendable {
  /// There are not enough handles left in one piece.
  case noHandlesLeft
  /// An included service is not in the database: no service's declaration stands at this handle.
  case unknownIncludedService(AttributeHandle)
  /// A fixed value is longer than 512 bytes.
  case valueTooLong(BluetoothUUID)
  /// A characteristic with a fixed value may be written, notified or indicated.
  case fixedValueNotReadOnly(BluetoothUUID)
  /// A descriptor's type belongs to the database: declarations and Client Characteristic Configuration.
  case reservedDescriptor(BluetoothUUID)
}
