package import LatchkeyByteCoding

/// An advertising set ended by itself: by a connection, or at its limit (Core 6.0 Vol 4 Part E 7.7.65.18).
package struct LEAdvertisingSetTerminated: Sendable, Equatable {
  /// Success if a connection was made; Advertising Timeout or Limit Reached else.
  package var status: HCIStatus
  package var handle: AdvertisingHandle
  /// The connection, if the status is success.
  package var connectionHandle: ConnectionHandle
  /// Events so far, if their number was limited.
  package var completedEvents: UInt8

  package init(
    status: HCIStatus = .success, handle: AdvertisingHandle, connectionHandle: ConnectionHandle,
    completedEvents: UInt8 = 0
  ) {
    self.status = status
    self.handle = handle
    self.connectionHandle = connectionHandle
    self.completedEvents = completedEvents
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    status = try reader.status()
    handle = try AdvertisingHandle(from: &reader)
    connectionHandle = try ConnectionHandle(from: &reader)
    completedEvents = try reader.uint8("Num_Completed_Extended_Advertising_Events")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.status(status)
    handle.encode(into: &writer)
    connectionHandle.encode(into: &writer)
    writer.uint8(completedEvents)
  }
}
