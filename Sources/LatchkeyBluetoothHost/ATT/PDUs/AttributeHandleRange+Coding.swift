package import LatchkeyByteCoding

extension AttributeHandleRange {
  /// Reads a starting and an ending handle without validating the range.
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    let start = try reader.uint16("starting handle")
    self.init(start, try reader.uint16("ending handle"))
  }

  /// Writes the starting and the ending handle.
  package func encode(into writer: inout ByteWriter) {
    writer.uint16(start)
    writer.uint16(end)
  }

  /// Whether a request may carry the range: no handle 0, the end not before the start.
  var isValid: Bool { start > 0 && start <= end }
}
