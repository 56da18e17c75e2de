/// A procedure that a GATT client requests of a server (Core 6.0 Vol 3 Part G 4).
///
/// Procedures of one link run in the order of submission, one at a time.
public enum GATTProcedure: Sendable {
  /// All primary services, or those of the given UUIDs (4.4.1, 4.4.2).
  case discoverServices([BluetoothUUID]?)
  /// The services that a service includes (4.5.1); `range` is the including service's.
  case discoverIncludedServices(AttributeHandleRange)
  /// All characteristics of a service (4.6.1).
  case discoverCharacteristics(AttributeHandleRange)
  /// All descriptors in a range: after a characteristic's value, up to its end (4.7.1).
  case discoverDescriptors(AttributeHandleRange)
  /// A whole value, by Read and as many Read Blobs as it accepts (4.8.1, 4.8.3).
  case read(AttributeHandle)
  /// The values of the characteristics of a UUID in a range (4.8.2).
  case readByUUID(BluetoothUUID, AttributeHandleRange)
  /// The value of the first such characteristic alone: one request.
  case readFirst(BluetoothUUID, AttributeHandleRange)
  /// Writes a whole value, by Write or, past ATT_MTU - 3 bytes, by Prepare and Execute Write (4.9.3, 4.9.4).
  case write(AttributeHandle, [UInt8])
  /// Turns notifications, or indications where only those are offered, on or off for the requesting client (4.10,
  /// 4.11).
  ///
  /// The descriptor is discovered first if necessary. It is turned off only when no other client of this host is
  /// subscribed.
  case configureNotifications(GATTCharacteristicRecord, enabled: Bool)
  /// Makes the peer indicate changes of its services (7.1) as long as the link lasts; `HostEvent.servicesChanged`
  /// reports them. All other procedures go first.
  case listenForServiceChanges
}

/// The outcome of a procedure.
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
  /// The procedure failed; none of its requests is outstanding.
  case failed(GATTFailure)
}

/// Why a procedure failed, by whose fault.
public enum GATTFailure: Error, Hashable, Sendable {
  /// The peer answered with an Error Response.
  case refused(ATTErrorCode, handle: AttributeHandle)
  /// The peer's answer violated the protocol: a wrong length, a handle out of order, another request's opcode.
  case peerMisbehaved
  /// The peer did not answer within 30 s; the link is being closed (Core 6.0 Vol 3 Part F 3.3.3).
  case timedOut
  /// The link has ended, or never existed.
  case disconnected
  /// The peer has lost the key of its bond with this host; the bond stays until it is removed.
  case keyMissing
  /// The link could not be encrypted, or the pairing was not answered in time.
  case encryptionFailed
  /// The value is longer than an attribute can be (512 bytes), or another argument is out of its range.
  case invalidArgument
  /// Too many procedures are waiting on this link already.
  case queueFull
}
