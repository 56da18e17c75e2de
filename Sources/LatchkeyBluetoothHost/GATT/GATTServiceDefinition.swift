/// A service for the database, defined by a client of the host (Core 6.0 Vol 3 Part G 3.1).
public struct GATTServiceDefinition: Sendable {
  /// The service's UUID.
  public var uuid: BluetoothUUID
  /// Primary, or secondary: only to be included.
  public var isPrimary: Bool
  /// Services already in the database that this one includes, by the handle of their declaration.
  public var includedServices: [AttributeHandle]
  /// The characteristics, in order.
  public var characteristics: [GATTCharacteristicDefinition]

  /// A service definition.
  public init(
    uuid: BluetoothUUID, isPrimary: Bool = true, includedServices: [AttributeHandle] = [],
    characteristics: [GATTCharacteristicDefinition] = []
  ) {
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.includedServices = includedServices
    self.characteristics = characteristics
  }
}

/// A characteristic of a service definition. A client characteristic configuration is added by the database when the
/// properties have notify or indicate.
public struct GATTCharacteristicDefinition: Sendable {
  /// The characteristic's UUID.
  public var uuid: BluetoothUUID
  /// The operations that the declaration offers; the permissions decide what is allowed.
  public var properties: GATTProperties
  /// The accesses that the server permits.
  public var permissions: GATTPermissions
  /// Whether a peer may subscribe on an encrypted link only; values are sent on such a link alone.
  package var needsEncryptionToSubscribe = false
  /// Whether the owner is asked before a peer's Write Request of the client configuration takes effect.
  package var asksToSubscribe = false
  /// A value that the server answers itself; nil asks the owner at each access.
  public var staticValue: [UInt8]?
  /// Descriptors with fixed values, in order: user description, presentation format and the like.
  public var descriptors: [GATTDescriptorDefinition]

  /// A characteristic definition.
  public init(
    uuid: BluetoothUUID, properties: GATTProperties, permissions: GATTPermissions, staticValue: [UInt8]? = nil,
    descriptors: [GATTDescriptorDefinition] = []
  ) {
    self.uuid = uuid
    self.properties = properties
    self.permissions = permissions
    self.staticValue = staticValue
    self.descriptors = descriptors
  }
}

/// A descriptor with a fixed value, readable by all.
public struct GATTDescriptorDefinition: Sendable {
  /// The descriptor's UUID.
  public var uuid: BluetoothUUID
  /// Its value.
  public var value: [UInt8]

  /// A descriptor definition.
  public init(uuid: BluetoothUUID, value: [UInt8]) {
    self.uuid = uuid
    self.value = value
  }
}

/// The position of a service in the database: handles in the order of the definition.
public struct GATTServicePlacement: Hashable, Sendable {
  /// From the service's declaration to its last attribute.
  public var range: AttributeHandleRange
  /// For each characteristic of the definition, the handle of its value.
  public var valueHandles: [AttributeHandle]
  /// The number of the service in the order of addition. Handles are reused, this number is not: an event with a
  /// smaller number of `additions` concerns an earlier service.
  public var addition: UInt64
}

/// Why a service was not added to a database: an error of the definition. Nothing was added.
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
