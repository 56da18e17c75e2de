/// A service that a client of the host wants in the database (Core 6.0 Vol 3 Part G 3.1).
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
  /// What the declaration says may be done; the permissions decide what is done.
  public var properties: GATTProperties
  /// What the server lets pass.
  public var permissions: GATTPermissions
  /// A value that the server answers by itself; nil asks the owner at each access.
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

/// What a server lets pass to an attribute (Core 6.0 Vol 3 Part F 3.2.5).
public struct GATTPermissions: OptionSet, Hashable, Sendable {
  /// The bits; they never go on the air.
  public let rawValue: UInt8
  /// Permissions of these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// May be read.
  public static let readable = GATTPermissions(rawValue: 0x01)
  /// May be written.
  public static let writeable = GATTPermissions(rawValue: 0x02)
  /// May be read on an encrypted link only.
  public static let readEncryptionRequired = GATTPermissions(rawValue: 0x04)
  /// May be written on an encrypted link only.
  public static let writeEncryptionRequired = GATTPermissions(rawValue: 0x08)
}

/// Where a service landed in the database: handles in the order of the definition.
public struct GATTServicePlacement: Hashable, Sendable {
  /// From the service's declaration to its last attribute.
  public var range: AttributeHandleRange
  /// For each characteristic of the definition, the handle of its value.
  public var valueHandles: [AttributeHandle]
  /// The service's number in the order in which services were added. Handles are given again, this is not: an event with
  /// a smaller number of `additions` speaks of an earlier service.
  public var addition: UInt64
}
