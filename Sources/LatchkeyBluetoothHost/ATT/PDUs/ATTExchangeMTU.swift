package import LatchkeyByteCoding

/// The client's receive size (Core 6.0 Vol 3 Part F 3.4.2.1).
package struct ATTExchangeMTURequest: ATTPDU {
  package static let opcode = ATTOpcode.exchangeMTURequest
  /// Client Rx MTU, in bytes.
  package var mtu: UInt16

  package init(mtu: UInt16) { self.mtu = mtu }
  package init(from reader: inout ByteReader) throws(ByteCodingError) { mtu = try reader.uint16("Client Rx MTU") }
  package func encode(into writer: inout ByteWriter) { writer.uint16(mtu) }
  package var encodedCount: Int { 2 }
}

/// The server's receive size (Core 6.0 Vol 3 Part F 3.4.2.2).
package struct ATTExchangeMTUResponse: ATTPDU {
  package static let opcode = ATTOpcode.exchangeMTUResponse
  /// Server Rx MTU, in bytes.
  package var mtu: UInt16

  package init(mtu: UInt16) { self.mtu = mtu }
  package init(from reader: inout ByteReader) throws(ByteCodingError) { mtu = try reader.uint16("Server Rx MTU") }
  package func encode(into writer: inout ByteWriter) { writer.uint16(mtu) }
  package var encodedCount: Int { 2 }
}
