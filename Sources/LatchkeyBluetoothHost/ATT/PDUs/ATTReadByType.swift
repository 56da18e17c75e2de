package import LatchkeyByteCoding

/// Asks for the values of the attributes of a type (Core 6.0 Vol 3 Part F 3.4.4.1).
package struct ATTReadByTypeRequest: ATTPDU {
  package static let opcode = ATTOpcode.readByTypeRequest
  /// The handles to search.
  package var range: AttributeHandleRange
  /// The type.
  package var type: BluetoothUUID

  package init(range: AttributeHandleRange, type: BluetoothUUID) {
    self.range = range
    self.type = type
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    range = try AttributeHandleRange(from: &reader)
    guard reader.remaining == 2 || reader.remaining == 16 else { throw .invalidValue(field: "attribute type") }
    type = try BluetoothUUID(from: &reader, width: reader.remaining)
  }

  package func encode(into writer: inout ByteWriter) {
    range.encode(into: &writer)
    type.encode(into: &writer)
  }

  package var encodedCount: Int { 4 + type.encodedCount }
}

/// Handles with values that are all of one length (Core 6.0 Vol 3 Part F 3.4.4.2).
package struct ATTReadByTypeResponse: ATTPDU {
  package static let opcode = ATTOpcode.readByTypeResponse
  /// The longest value that the length byte can express.
  package static let longestValue = 253
  /// How many bytes each entry's value has.
  package var valueCount: Int
  /// Pairs of handle and value, `valueCount + 2` bytes each.
  package var entries: ByteReader

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    let length = Int(try reader.uint8("entry length"))
    guard length >= 2, reader.remaining >= length, reader.remaining % length == 0 else {
      throw .invalidValue(field: "entry length")
    }
    valueCount = length - 2
    entries = try reader.subReader(reader.remaining, "entries")
  }

  /// A response with entries already encoded.
  package init(valueCount: Int, entries: [UInt8]) {
    self.valueCount = valueCount
    self.entries = ByteReader(entries)
  }

  package func encode(into writer: inout ByteWriter) {
    var entries = entries
    writer.uint8(UInt8(truncatingIfNeeded: valueCount + 2))
    writer.append(entries.remainingBytes())
  }

  package var encodedCount: Int { 1 + entries.remaining }
}
