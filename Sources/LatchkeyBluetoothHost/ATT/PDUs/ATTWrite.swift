package import LatchkeyByteCoding

/// Writes a value with a response (Core 6.0 Vol 3 Part F 3.4.5.1).
package struct ATTWriteRequest: ATTPDU {
  package static let opcode = ATTOpcode.writeRequest
  /// The attribute.
  package var handle: AttributeHandle
  /// The bytes, ATT_MTU - 3 at most.
  package var value: [UInt8]

  package init(handle: AttributeHandle, value: [UInt8]) {
    self.handle = handle
    self.value = value
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    handle = try reader.uint16("attribute handle")
    value = reader.remainingBytes()
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint16(handle)
    writer.append(value)
  }

  package var encodedCount: Int { 2 + value.count }
}

/// A write was done (Core 6.0 Vol 3 Part F 3.4.5.2).
package struct ATTWriteResponse: ATTEmptyPDU {
  package static let opcode = ATTOpcode.writeResponse
  package init() {}
}

/// Writes a value without a response (Core 6.0 Vol 3 Part F 3.4.5.3).
package struct ATTWriteCommand: ATTPDU {
  package static let opcode = ATTOpcode.writeCommand
  /// The attribute.
  package var handle: AttributeHandle
  /// The bytes, ATT_MTU - 3 at most.
  package var value: [UInt8]

  package init(handle: AttributeHandle, value: [UInt8]) {
    self.handle = handle
    self.value = value
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    handle = try reader.uint16("attribute handle")
    value = reader.remainingBytes()
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint16(handle)
    writer.append(value)
  }

  package var encodedCount: Int { 2 + value.count }
}
