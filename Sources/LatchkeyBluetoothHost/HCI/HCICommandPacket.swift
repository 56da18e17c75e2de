package import LatchkeyByteCoding

/// A command packet, for the controller's end (Core 6.0 Vol 4 Part E 5.4.1).
package struct HCICommandPacket: Sendable {
  package var opcode: HCIOpcode
  package var parameters: ByteReader

  /// Reads a whole H4 packet; its length must match its length field.
  package init(decoding packet: [UInt8]) throws(ByteCodingError) {
    var reader = ByteReader(packet)
    guard try reader.uint8("packet indicator") == HCIPacketType.command.rawValue else {
      throw .invalidValue(field: "packet indicator")
    }
    opcode = try HCIOpcode(from: &reader)
    let length = Int(try reader.uint8("command length"))
    parameters = try reader.subReader(length, "command parameters")
    try reader.finish("command packet")
  }

  /// Decodes the parameters as those of one command, to the last byte.
  package func decode<Command: HCICommand>(as type: Command.Type) throws(ByteCodingError) -> Command {
    var reader = parameters
    let command = try Command(from: &reader)
    try reader.finish("command parameters")
    return command
  }
}
