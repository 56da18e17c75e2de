package import LatchkeyByteCoding

/// Asks for the types of the attributes in a range (Core 6.0 Vol 3 Part F 3.4.3.1).
package struct ATTFindInformationRequest: ATTPDU {
  package static let opcode = ATTOpcode.findInformationRequest
  /// The handles to search.
  package var range: AttributeHandleRange

  package init(range: AttributeHandleRange) { self.range = range }
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    range = try AttributeHandleRange(from: &reader)
  }
  package func encode(into writer: inout ByteWriter) { range.encode(into: &writer) }
  package var encodedCount: Int { 4 }
}

/// Handles with their types, all 16-bit (format 1) or all 128-bit (format 2) (Core 6.0 Vol 3 Part F 3.4.3.2).
package struct ATTFindInformationResponse: ATTPDU {
  package static let opcode = ATTOpcode.findInformationResponse
  /// The attributes, in the order of their handles; at least one.
  package var entries: [(handle: AttributeHandle, type: BluetoothUUID)]

  package init(entries: [(handle: AttributeHandle, type: BluetoothUUID)]) { self.entries = entries }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    let width =
      switch try reader.uint8("information format") {
      case 0x01: 2
      case 0x02: 16
      default: throw .invalidValue(field: "information format")
      }
    entries = []
    repeat {
      let handle = try reader.uint16("attribute handle")
      entries.append((handle, try BluetoothUUID(from: &reader, width: width)))
    } while !reader.isEmpty
  }

  package func encode(into writer: inout ByteWriter) {
    let isShort = entries.first?.type.encodedCount == 2
    writer.uint8(isShort ? 0x01 : 0x02)
    for entry in entries {
      writer.uint16(entry.handle)
      entry.type.encode(into: &writer)
    }
  }

  package var encodedCount: Int { 1 + entries.count * (2 + (entries.first?.type.encodedCount ?? 0)) }
}
