package import LatchkeyByteCoding

/// A value that the server sends on its own initiative (Core 6.0 Vol 3 Part F 3.4.7.1).
package struct ATTHandleValueNotification: ATTPDU {
  package static let opcode = ATTOpcode.handleValueNotification
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

/// A value that the server sends and the client confirms (Core 6.0 Vol 3 Part F 3.4.7.2).
package struct ATTHandleValueIndication: ATTPDU {
  package static let opcode = ATTOpcode.handleValueIndication
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

/// The confirmation of an indication (Core 6.0 Vol 3 Part F 3.4.7.3).
package struct ATTHandleValueConfirmation: ATTEmptyPDU {
  package static let opcode = ATTOpcode.handleValueConfirmation
  package init() {}
}

/// Several notifications in one PDU (Core 6.0 Vol 3 Part F 3.4.7.4).
package struct ATTMultipleHandleValueNotification: ATTPDU {
  package static let opcode = ATTOpcode.multipleHandleValueNotification
  /// The values; at least one here, though the specification wants two from a sender.
  package var values: [(handle: AttributeHandle, value: [UInt8])]

  package init(values: [(handle: AttributeHandle, value: [UInt8])]) { self.values = values }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    values = []
    repeat {
      let handle = try reader.uint16("attribute handle")
      let count = try reader.uint16("value length")
      values.append((handle, try reader.bytes(Int(count), "value")))
    } while !reader.isEmpty
  }

  package func encode(into writer: inout ByteWriter) {
    for (handle, value) in values {
      writer.uint16(handle)
      writer.uint16(UInt16(truncatingIfNeeded: value.count))
      writer.append(value)
    }
  }

  package var encodedCount: Int { values.reduce(0) { $0 + 4 + $1.value.count } }
}
