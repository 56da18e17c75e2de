package import LatchkeyByteCoding

/// A controller's name for a link, 0x0000...0x0EFF (Core 6.0 Vol 4 Part E 5.3.1).
///
/// Controllers reuse handles; a `LinkID` identifies a link for good.
package struct ConnectionHandle: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt16

  /// A handle of the low twelve bits: the other four are flags in ACL packets, and reserved elsewhere.
  @inlinable
  package init(rawValue: UInt16) { self.rawValue = rawValue & 0x0FFF }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    self.init(rawValue: try reader.uint16("Connection_Handle"))
  }

  package func encode(into writer: inout ByteWriter) { writer.uint16(rawValue) }

  // Written out, so that other modules compare numbers, not through the protocol.
  @inlinable
  package static func == (a: ConnectionHandle, b: ConnectionHandle) -> Bool { a.rawValue == b.rawValue }
}

extension ConnectionHandle: ExpressibleByIntegerLiteral {
  package init(integerLiteral value: UInt16) { self.init(rawValue: value) }
}
