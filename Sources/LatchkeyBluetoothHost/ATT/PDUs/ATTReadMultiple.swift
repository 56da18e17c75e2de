package import LatchkeyByteCoding

/// Asks for the values of several attributes, joined (Core 6.0 Vol 3 Part F 3.4.4.7).
package struct ATTReadMultipleRequest: ATTPDU {
  package static let opcode = ATTOpcode.readMultipleRequest
  /// The attributes, two or more.
  package var handles: [AttributeHandle]

  package init(handles: [AttributeHandle]) { self.handles = handles }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    handles = [try reader.uint16("attribute handle")]
    repeat { handles.append(try reader.uint16("attribute handle")) } while !reader.isEmpty
  }

  package func encode(into writer: inout ByteWriter) {
    for handle in handles { writer.uint16(handle) }
  }

  package var encodedCount: Int { handles.count * 2 }
}

/// The values one after another, cut at ATT_MTU - 1 bytes (Core 6.0 Vol 3 Part F 3.4.4.8).
package struct ATTReadMultipleResponse: ATTPDU {
  package static let opcode = ATTOpcode.readMultipleResponse
  /// The bytes.
  package var values: [UInt8]

  package init(values: [UInt8]) { self.values = values }
  package init(from reader: inout ByteReader) throws(ByteCodingError) { values = reader.remainingBytes() }
  package func encode(into writer: inout ByteWriter) { writer.append(values) }
  package var encodedCount: Int { values.count }
}
