package import LatchkeyByteCoding

/// Asks for a value (Core 6.0 Vol 3 Part F 3.4.4.3).
package struct ATTReadRequest: ATTPDU {
  package static let opcode = ATTOpcode.readRequest
  /// The attribute.
  package var handle: AttributeHandle

  package init(handle: AttributeHandle) { self.handle = handle }
  package init(from reader: inout ByteReader) throws(ByteCodingError) { handle = try reader.uint16("attribute handle") }
  package func encode(into writer: inout ByteWriter) { writer.uint16(handle) }
  package var encodedCount: Int { 2 }
}

/// The beginning of a value, ATT_MTU - 1 bytes at most (Core 6.0 Vol 3 Part F 3.4.4.4).
package struct ATTReadResponse: ATTPDU {
  package static let opcode = ATTOpcode.readResponse
  /// The bytes.
  package var value: [UInt8]

  package init(value: [UInt8]) { self.value = value }
  package init(from reader: inout ByteReader) throws(ByteCodingError) { value = reader.remainingBytes() }
  package func encode(into writer: inout ByteWriter) { writer.append(value) }
  package var encodedCount: Int { value.count }
}

/// Asks for a value from an offset on (Core 6.0 Vol 3 Part F 3.4.4.5).
package struct ATTReadBlobRequest: ATTPDU {
  package static let opcode = ATTOpcode.readBlobRequest
  /// The attribute.
  package var handle: AttributeHandle
  /// The offset of the first byte.
  package var offset: UInt16

  package init(handle: AttributeHandle, offset: UInt16) {
    self.handle = handle
    self.offset = offset
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    handle = try reader.uint16("attribute handle")
    offset = try reader.uint16("value offset")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint16(handle)
    writer.uint16(offset)
  }

  package var encodedCount: Int { 4 }
}

/// A part of a value, ATT_MTU - 1 bytes at most (Core 6.0 Vol 3 Part F 3.4.4.6).
package struct ATTReadBlobResponse: ATTPDU {
  package static let opcode = ATTOpcode.readBlobResponse
  /// The bytes; none at the value's end.
  package var value: [UInt8]

  package init(value: [UInt8]) { self.value = value }
  package init(from reader: inout ByteReader) throws(ByteCodingError) { value = reader.remainingBytes() }
  package func encode(into writer: inout ByteWriter) { writer.append(value) }
  package var encodedCount: Int { value.count }
}
