package import LatchkeyByteCoding

/// Queues a part of a value on the server (Core 6.0 Vol 3 Part F 3.4.6.1).
package struct ATTPrepareWriteRequest: ATTPDU {
  package static let opcode = ATTOpcode.prepareWriteRequest
  /// The attribute.
  package var handle: AttributeHandle
  /// The offset in the value.
  package var offset: UInt16
  /// The bytes, ATT_MTU - 5 at most.
  package var value: [UInt8]

  package init(handle: AttributeHandle, offset: UInt16, value: [UInt8]) {
    self.handle = handle
    self.offset = offset
    self.value = value
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    handle = try reader.uint16("attribute handle")
    offset = try reader.uint16("value offset")
    value = reader.remainingBytes()
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint16(handle)
    writer.uint16(offset)
    writer.append(value)
  }

  package var encodedCount: Int { 4 + value.count }
}

/// A part was queued; the response repeats the request (Core 6.0 Vol 3 Part F 3.4.6.2).
package struct ATTPrepareWriteResponse: ATTPDU {
  package static let opcode = ATTOpcode.prepareWriteResponse
  /// The attribute.
  package var handle: AttributeHandle
  /// The offset in the value.
  package var offset: UInt16
  /// The bytes.
  package var value: [UInt8]

  package init(echoing request: ATTPrepareWriteRequest) {
    handle = request.handle
    offset = request.offset
    value = request.value
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    handle = try reader.uint16("attribute handle")
    offset = try reader.uint16("value offset")
    value = reader.remainingBytes()
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint16(handle)
    writer.uint16(offset)
    writer.append(value)
  }

  package var encodedCount: Int { 4 + value.count }
}

/// Executes all queued parts, or cancels them (Core 6.0 Vol 3 Part F 3.4.6.3).
package struct ATTExecuteWriteRequest: ATTPDU {
  package static let opcode = ATTOpcode.executeWriteRequest
  /// Whether to write, or to cancel.
  package var writes: Bool

  package init(writes: Bool) { self.writes = writes }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    switch try reader.uint8("execute write flags") {
    case 0x00: writes = false
    case 0x01: writes = true
    default: throw .invalidValue(field: "execute write flags")
    }
  }

  package func encode(into writer: inout ByteWriter) { writer.uint8(writes ? 0x01 : 0x00) }
  package var encodedCount: Int { 1 }
}

/// The queue was executed, or canceled (Core 6.0 Vol 3 Part F 3.4.6.4).
package struct ATTExecuteWriteResponse: ATTEmptyPDU {
  package static let opcode = ATTOpcode.executeWriteResponse
  package init() {}
}
