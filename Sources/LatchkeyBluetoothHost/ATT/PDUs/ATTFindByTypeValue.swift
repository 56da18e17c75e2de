package import LatchkeyByteCoding

/// Asks for the attributes of a 16-bit type and a value (Core 6.0 Vol 3 Part F 3.4.3.3).
package struct ATTFindByTypeValueRequest: ATTPDU {
  package static let opcode = ATTOpcode.findByTypeValueRequest
  /// The handles to search.
  package var range: AttributeHandleRange
  /// The type.
  package var type: UInt16
  /// The value, whole.
  package var value: [UInt8]

  package init(range: AttributeHandleRange, type: UInt16, value: [UInt8]) {
    self.range = range
    self.type = type
    self.value = value
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    range = try AttributeHandleRange(from: &reader)
    type = try reader.uint16("attribute type")
    value = reader.remainingBytes()
  }

  package func encode(into writer: inout ByteWriter) {
    range.encode(into: &writer)
    writer.uint16(type)
    writer.append(value)
  }

  package var encodedCount: Int { 6 + value.count }
}

/// The attributes found, each with the end of its group (Core 6.0 Vol 3 Part F 3.4.3.4).
package struct ATTFindByTypeValueResponse: ATTPDU {
  package static let opcode = ATTOpcode.findByTypeValueResponse
  /// Found handle and group end handle, in order; at least one.
  package var groups: [AttributeHandleRange]

  package init(groups: [AttributeHandleRange]) { self.groups = groups }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    groups = []
    repeat { groups.append(try AttributeHandleRange(from: &reader)) } while !reader.isEmpty
  }

  package func encode(into writer: inout ByteWriter) {
    for group in groups { group.encode(into: &writer) }
  }

  package var encodedCount: Int { groups.count * 4 }
}
