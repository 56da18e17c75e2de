package import LatchkeyByteCoding

/// Asks for the values of the grouping attributes of a type (Core 6.0 Vol 3 Part F 3.4.4.9).
package struct ATTReadByGroupTypeRequest: ATTPDU {
  package static let opcode = ATTOpcode.readByGroupTypeRequest
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

/// Services: the range and the UUID of each, all of one width (Core 6.0 Vol 3 Part F 3.4.4.10, Part G 4.4.1).
package struct ATTReadByGroupTypeResponse: ATTPDU {
  package static let opcode = ATTOpcode.readByGroupTypeResponse
  /// The services, in order; at least one.
  package var groups: [(range: AttributeHandleRange, uuid: BluetoothUUID)]

  package init(groups: [(range: AttributeHandleRange, uuid: BluetoothUUID)]) { self.groups = groups }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    let width =
      switch try reader.uint8("entry length") {
      case 6: 2
      case 20: 16
      default: throw .invalidValue(field: "entry length")
      }
    groups = []
    repeat {
      let range = try AttributeHandleRange(from: &reader)
      groups.append((range, try BluetoothUUID(from: &reader, width: width)))
    } while !reader.isEmpty
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint8(UInt8(truncatingIfNeeded: 4 + (groups.first?.uuid.encodedCount ?? 0)))
    for group in groups {
      group.range.encode(into: &writer)
      group.uuid.encode(into: &writer)
    }
  }

  package var encodedCount: Int { 1 + groups.count * (4 + (groups.first?.uuid.encodedCount ?? 0)) }
}
