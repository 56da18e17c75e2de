/// A service as a client discovered it.
public struct GATTServiceRecord: Hashable, Sendable {
  /// The service's UUID.
  public var uuid: BluetoothUUID
  /// From the declaration to the last attribute.
  public var range: AttributeHandleRange
  /// Whether it is primary; an included service may be secondary.
  public var isPrimary: Bool

  /// A discovered service.
  public init(uuid: BluetoothUUID, range: AttributeHandleRange, isPrimary: Bool = true) {
    self.uuid = uuid
    self.range = range
    self.isPrimary = isPrimary
  }
}

/// A characteristic as a client discovered it.
public struct GATTCharacteristicRecord: Hashable, Sendable {
  /// The characteristic's UUID.
  public var uuid: BluetoothUUID
  /// The handle of the declaration.
  public var declaration: AttributeHandle
  /// The handle of the value.
  public var valueHandle: AttributeHandle
  /// The last handle that belongs to it, descriptors included.
  public var end: AttributeHandle
  /// The operations that the declaration offers.
  public var properties: GATTProperties

  /// A discovered characteristic.
  public init(
    uuid: BluetoothUUID, declaration: AttributeHandle, valueHandle: AttributeHandle, end: AttributeHandle,
    properties: GATTProperties
  ) {
    self.uuid = uuid
    self.declaration = declaration
    self.valueHandle = valueHandle
    self.end = end
    self.properties = properties
  }
}

/// A descriptor as a client discovered it.
public struct GATTDescriptorRecord: Hashable, Sendable {
  /// The descriptor's UUID.
  public var uuid: BluetoothUUID
  /// Its handle.
  public var handle: AttributeHandle

  /// A discovered descriptor.
  public init(uuid: BluetoothUUID, handle: AttributeHandle) {
    self.uuid = uuid
    self.handle = handle
  }
}
