/// Identifies a request of a peer that waits for its answer.
public struct ServerRequestID: Hashable, Sendable {
  package let value: UInt64
  package init(_ value: UInt64) { self.value = value }

  /// The link on which it arrived.
  var link: LinkID { LinkID(UInt32(value >> 32)) }
}

/// A peer's read of a dynamic attribute, which its owner answers (Core 6.0 Vol 3 Part F 3.4.4.3, 3.4.4.5).
public struct GATTReadRequest: Sendable {
  /// Identifies the request in the answer.
  public var id: ServerRequestID
  /// The link on which it arrived.
  public var link: LinkID
  /// The peer.
  public var peer: BluetoothAddress
  /// The attribute.
  public var handle: AttributeHandle
  /// The offset of the first requested byte.
  public var offset: Int
  /// The number of services added before it arrived (`GATTServicePlacement.addition`).
  public var additions: UInt64 = 0
}

/// A peer's write of one attribute, or of several by Execute Write (Core 6.0 Vol 3 Part F 3.4.5, 3.4.6).
public struct GATTWriteRequest: Sendable {
  /// One part of a write.
  public struct Part: Sendable {
    /// The attribute.
    public var handle: AttributeHandle
    /// The offset in the value.
    public var offset: Int
    /// The bytes.
    public var value: [UInt8]
  }

  /// Identifies the request in the answer; nil for a Write Command, which has no answer.
  public var id: ServerRequestID?
  /// The link on which it arrived.
  public var link: LinkID
  /// The peer.
  public var peer: BluetoothAddress
  /// The parts to write, all or nothing, in order.
  public var parts: [Part]
  /// Whether the value is for the client configuration of a characteristic, which its value's handle names. It takes effect
  /// when the owner answers that it is written.
  package var isConfiguration = false
  /// The number of services added before it arrived (`GATTServicePlacement.addition`).
  public var additions: UInt64 = 0
}

/// A client's answer to a peer's request.
public enum GATTServerResponse: Sendable {
  /// A read succeeds: the value from the request's offset on.
  case value([UInt8])
  /// A write succeeds.
  case written
  /// The request fails.
  case error(ATTErrorCode)
}
