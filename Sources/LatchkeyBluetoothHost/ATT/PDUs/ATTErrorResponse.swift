package import LatchkeyByteCoding

/// A request was refused (Core 6.0 Vol 3 Part F 3.4.1.1).
package struct ATTErrorResponse: ATTPDU {
  package static let opcode = ATTOpcode.errorResponse
  /// The opcode of the request, known or not.
  package var request: UInt8
  /// The attribute in error, or 0.
  package var handle: AttributeHandle
  /// The error code.
  package var code: ATTErrorCode

  package init(request: UInt8, handle: AttributeHandle, code: ATTErrorCode) {
    self.request = request
    self.handle = handle
    self.code = code
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    request = try reader.uint8("request opcode in error")
    handle = try reader.uint16("attribute handle in error")
    code = ATTErrorCode(rawValue: try reader.uint8("error code"))
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint8(request)
    writer.uint16(handle)
    writer.uint8(code.rawValue)
  }

  package var encodedCount: Int { 4 }
}
