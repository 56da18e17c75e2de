/// What a GATT client may ask of a server (Core 6.0 Vol 3 Part G 4).
///
/// Procedures of one link are carried out in the order in which they were asked for, one at a time.
public enum GATTProcedure: Sendable {
  /// All primary services, or those of the given UUIDs (4.4.1, 4.4.2).
  case discoverServices([BluetoothUUID]?)
  /// The services that a service includes (4.5.1); `range` is the service's own.
  case discoverIncludedServices(AttributeHandleRange)
  /// All characteristics of a service (4.6.1).
  case discoverCharacteristics(AttributeHandleRange)
  /// All descriptors in a range: after a characteristic's value, up to its end (4.7.1).
  case discoverDescriptors(AttributeHandleRange)
  /// A whole value, by Read and as many Read Blobs as it takes (4.8.1, 4.8.3).
  case read(AttributeHandle)
  /// The values of the characteristics of a UUID in a range (4.8.2).
  case readByUUID(BluetoothUUID, AttributeHandleRange)
  /// The same, of the first characteristic alone: one request.
  case readFirst(BluetoothUUID, AttributeHandleRange)
  /// Writes a whole value, by Write or, past ATT_MTU - 3 bytes, by Prepare and Execute Write (4.9.3, 4.9.4).
  case write(AttributeHandle, [UInt8])
  /// Turns notifications, or indications where only those are offered, on or off for the asking client (4.10, 4.11).
  ///
  /// The descriptor is found first if need be. It is switched off only when no other client of this host still listens.
  case configureNotifications(GATTCharacteristicRecord, enabled: Bool)
  /// Has the peer tell when its services change (7.1), for as long as the link lasts; `HostEvent.servicesChanged` tells it.
  /// Whatever else is asked for goes first.
  case listenForServiceChanges
}

/// What a procedure yielded.
public enum GATTOutcome: Sendable {
  /// Services, in the order of their handles.
  case services([GATTServiceRecord])
  /// Included services, in the order of their declarations.
  case includedServices([GATTServiceRecord])
  /// Characteristics, in the order of their declarations.
  case characteristics([GATTCharacteristicRecord])
  /// Descriptors, in the order of their handles.
  case descriptors([GATTDescriptorRecord])
  /// A value.
  case value([UInt8])
  /// Values by handle (`readByUUID`, `readFirst`).
  case values([(handle: AttributeHandle, value: [UInt8])])
  /// A write was answered, or notifications were configured.
  case written
  /// The procedure failed; nothing of it is left under way.
  case failed(GATTFailure)
}

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
  /// What may be done with it.
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

/// The properties in a characteristic's declaration (Core 6.0 Vol 3 Part G 3.3.1.1).
public struct GATTProperties: OptionSet, Hashable, Sendable {
  /// The bits as the air carries them.
  public let rawValue: UInt8
  /// Properties of these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The value may be broadcast.
  public static let broadcast = GATTProperties(rawValue: 0x01)
  /// The value may be read.
  public static let read = GATTProperties(rawValue: 0x02)
  /// The value may be written by Write Command.
  public static let writeWithoutResponse = GATTProperties(rawValue: 0x04)
  /// The value may be written by Write Request.
  public static let write = GATTProperties(rawValue: 0x08)
  /// The value may be notified.
  public static let notify = GATTProperties(rawValue: 0x10)
  /// The value may be indicated.
  public static let indicate = GATTProperties(rawValue: 0x20)
  /// The value may be written by Signed Write Command.
  public static let authenticatedSignedWrites = GATTProperties(rawValue: 0x40)
  /// More properties stand in a descriptor.
  public static let extendedProperties = GATTProperties(rawValue: 0x80)
}

/// Why a procedure failed, by whose fault.
public enum GATTFailure: Error, Hashable, Sendable {
  /// The peer answered with an Error Response.
  case refused(ATTErrorCode, handle: AttributeHandle)
  /// The peer's answer broke the protocol: a wrong length, a handle out of order, another request's opcode.
  case peerMisbehaved
  /// The peer did not answer within 30 s; the link is being closed (Core 6.0 Vol 3 Part F 3.3.3).
  case timedOut
  /// The link is gone, or was never there.
  case disconnected
  /// The value is longer than an attribute can be (512 bytes), or another argument is out of its range.
  case invalidArgument
  /// Too many procedures are waiting on this link already.
  case queueFull
}
