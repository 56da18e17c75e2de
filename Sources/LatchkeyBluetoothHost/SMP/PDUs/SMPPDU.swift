package import LatchkeyByteCoding

/// A PDU of the Security Manager protocol (Core 6.0 Vol 3 Part H 3.3): a code, then parameters of a fixed length.
package protocol SMPPDU: Sendable {
  /// The code.
  static var code: SMPCode { get }
  /// Reads the parameters, after the code.
  init(from reader: inout ByteReader) throws(ByteCodingError)
  /// Writes the parameters, without the code.
  func encode(into writer: inout ByteWriter)
}

extension SMPPDU {
  /// Reads the parameters and rejects bytes after them.
  package init(whole reader: ByteReader) throws(ByteCodingError) {
    var rest = reader
    try self.init(from: &rest)
    try rest.finish("SMP PDU")
  }

  /// The PDU with the headroom of an outgoing frame.
  package func frame() -> [UInt8] { bytes(headroom: OutgoingFrame.headroom) }

  /// The PDU alone, of which legacy pairing computes confirm values (2.2.3).
  var bytes: [UInt8] { bytes(headroom: 0) }

  private func bytes(headroom: Int) -> [UInt8] {
    var writer = ByteWriter(headroom: headroom, capacity: 1 + Self.code.parameterCount)
    writer.uint8(Self.code.rawValue)
    encode(into: &writer)
    return writer.bytes
  }
}
