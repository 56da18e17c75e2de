package import LatchkeyByteCoding

/// A command's parameters (Core 6.0 Vol 4 Part E 7), for both ends: hosts encode, controllers decode.
package protocol HCICommand: Sendable, Equatable {
  static var opcode: HCIOpcode { get }
  /// Reads the parameters; the caller checks for trailing bytes.
  init(from reader: inout ByteReader) throws(ByteCodingError)
  func encode(into writer: inout ByteWriter)
}

/// A command that a Command Complete event ends; other commands end with Command Status and, later, an event of their
/// own.
package protocol HCISynchronousCommand: HCICommand {
  associatedtype ReturnParameters: HCIReturnParameters
}

/// A command without parameters.
package protocol HCIParameterlessCommand: HCICommand {
  init()
}

extension HCIParameterlessCommand {
  package init(from reader: inout ByteReader) throws(ByteCodingError) { self.init() }
  package func encode(into writer: inout ByteWriter) {}
}

extension HCICommand {
  /// The whole H4 packet.
  package var packet: [UInt8] {
    var writer = ByteWriter(capacity: 36)
    writer.uint8(HCIPacketType.command.rawValue)
    Self.opcode.encode(into: &writer)
    let length = writer.reserve(1)
    encode(into: &writer)
    writer.patchUInt8(UInt8(truncatingIfNeeded: writer.count - length - 1), at: length)
    return writer.bytes
  }
}
