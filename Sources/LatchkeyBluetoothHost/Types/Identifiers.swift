package import LatchkeyByteCoding

/// Identifies one connection for as long as the host lives.
///
/// Controllers reuse connection handles; a `LinkID` is never reused, so late input cannot reach a newer link.
public struct LinkID: Hashable, Sendable {
  package let value: UInt32
  package init(_ value: UInt32) { self.value = value }
}

/// Identifies one user of a host: a central manager or a peripheral manager. Several share one controller.
public struct ClientID: Hashable, Sendable {
  package let value: UInt32
  package init(_ value: UInt32) { self.value = value }
}

/// Identifies one procedure of a client; its completion carries the same id.
public struct RequestID: Hashable, Sendable {
  package let value: UInt64
  /// An id of the client's choice; ids of procedures in progress differ.
  public init(_ value: UInt64) { self.value = value }
}

/// An attribute handle, 0x0001...0xFFFF (Core 6.0 Vol 3 Part F 3.2.2).
public typealias AttributeHandle = UInt16

/// A range of attribute handles, both ends included.
public struct AttributeHandleRange: Hashable, Sendable {
  /// The first handle.
  public var start: AttributeHandle
  /// The last handle.
  public var end: AttributeHandle

  /// A range from `start` through `end`.
  public init(_ start: AttributeHandle, _ end: AttributeHandle) {
    self.start = start
    self.end = end
  }

  /// All handles: 0x0001...0xFFFF.
  public static let all = AttributeHandleRange(0x0001, 0xFFFF)

  /// Whether `handle` is inside.
  public func contains(_ handle: AttributeHandle) -> Bool { start <= handle && handle <= end }

  /// The smallest range that holds both.
  package func union(_ other: AttributeHandleRange) -> AttributeHandleRange {
    AttributeHandleRange(min(start, other.start), max(end, other.end))
  }
}

/// This host's end of a connection.
public enum LinkRole: UInt8, Sendable {
  /// This host initiated the connection.
  case central = 0x00
  /// This host advertised and was connected to.
  case peripheral = 0x01
}

extension AttributeHandleRange {
  /// Reads a starting and an ending handle without validating the range.
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    let start = try reader.uint16("starting handle")
    self.init(start, try reader.uint16("ending handle"))
  }

  /// Writes the starting and the ending handle.
  package func encode(into writer: inout ByteWriter) {
    writer.uint16(start)
    writer.uint16(end)
  }

  /// Whether a request may carry the range: no handle 0, the end not before the start.
  var isValid: Bool { start > 0 && start <= end }
}
