package import LatchkeyByteCoding

/// A PDU of the attribute protocol (Core 6.0 Vol 3 Part F 3.3.1): an opcode, then parameters.
package protocol ATTPDU: Sendable {
  /// The opcode.
  static var opcode: ATTOpcode { get }
  /// Reads the parameters, after the opcode.
  init(from reader: inout ByteReader) throws(ByteCodingError)
  /// Writes the parameters, without the opcode.
  func encode(into writer: inout ByteWriter)
  /// About how many bytes `encode(into:)` writes, to reserve them.
  var encodedCount: Int { get }
}

extension ATTPDU {
  /// Reads the parameters and rejects bytes after them.
  @inline(__always)
  package init(whole reader: ByteReader) throws(ByteCodingError) {
    var rest = reader
    try self.init(from: &rest)
    try rest.finish("ATT PDU")
  }

  /// The PDU with the headroom of an outgoing frame.
  @inline(__always)
  package func frame() -> [UInt8] {
    var writer = ByteWriter(headroom: OutgoingFrame.headroom, capacity: 1 + encodedCount)
    writer.uint8(Self.opcode.rawValue)
    encode(into: &writer)
    return writer.bytes
  }
}

/// A PDU that is an opcode alone.
package protocol ATTEmptyPDU: ATTPDU {
  /// The PDU.
  init()
}

extension ATTEmptyPDU {
  package init(from reader: inout ByteReader) throws(ByteCodingError) { self.init() }
  package func encode(into writer: inout ByteWriter) {}
  package var encodedCount: Int { 0 }
}
