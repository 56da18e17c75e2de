package import LatchkeyByteCoding

/// A request for the values of several attributes.
package protocol ATTHandleListPDU: ATTPDU {
  /// The attributes, two or more.
  var handles: [AttributeHandle] { get }
  init(handles: [AttributeHandle])
}

extension ATTHandleListPDU {
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    var handles = [try reader.uint16("attribute handle")]
    repeat { handles.append(try reader.uint16("attribute handle")) } while !reader.isEmpty
    self.init(handles: handles)
  }

  package func encode(into writer: inout ByteWriter) {
    for handle in handles { writer.uint16(handle) }
  }

  package var encodedCount: Int { handles.count * 2 }
}

/// Asks for the values of several attributes, joined (Core 6.0 Vol 3 Part F 3.4.4.7).
package struct ATTReadMultipleRequest: ATTHandleListPDU {
  package static let opcode = ATTOpcode.readMultipleRequest
  package var handles: [AttributeHandle]

  package init(handles: [AttributeHandle]) { self.handles = handles }
}

/// Asks for the values of several attributes, each with its length (Core 6.0 Vol 3 Part F 3.4.4.11).
package struct ATTReadMultipleVariableRequest: ATTHandleListPDU {
  package static let opcode = ATTOpcode.readMultipleVariableRequest
  package var handles: [AttributeHandle]

  package init(handles: [AttributeHandle]) { self.handles = handles }
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

/// Lengths and values in turn; the last value is cut at ATT_MTU - 1 bytes, and its length is the whole one (Core 6.0 Vol 3
/// Part F 3.4.4.12).
package struct ATTReadMultipleVariableResponse: ATTPDU {
  package static let opcode = ATTOpcode.readMultipleVariableResponse
  /// The bytes.
  package var tuples: [UInt8]

  package init(tuples: [UInt8]) { self.tuples = tuples }
  package init(from reader: inout ByteReader) throws(ByteCodingError) { tuples = reader.remainingBytes() }
  package func encode(into writer: inout ByteWriter) { writer.append(tuples) }
  package var encodedCount: Int { tuples.count }
}
