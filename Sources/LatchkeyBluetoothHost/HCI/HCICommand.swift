package import LatchkeyByteCoding

/// A command's parameters (Core 6.0 Vol 4 Part E 7), for both ends: hosts encode, controllers decode.
package protocol HCICommand: Sendable, Equatable {
  static var opcode: HCIOpcode { get }
  /// Reads the parameters; what may follow them is for the caller to judge.
  init(from reader: inout ByteReader) throws(ByteCodingError)
  func encode(into writer: inout ByteWriter)
}

/// A command that a Command Complete event ends; others end with Command Status and, later, an event of their own.
package protocol HCISynchronousCommand: HCICommand {
  associatedtype ReturnParameters: HCIReturnParameters
}

/// What a Command Complete event returns. Every command of ours returns its status first.
package protocol HCIReturnParameters: Sendable, Equatable {
  var status: HCIStatus { get }
  init(from reader: inout ByteReader) throws(ByteCodingError)
  func encode(into writer: inout ByteWriter)
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

/// A command packet as a controller gets it (Core 6.0 Vol 4 Part E 5.4.1).
package struct HCICommandPacket: Sendable {
  package var opcode: HCIOpcode
  package var parameters: ByteReader

  /// Reads a whole H4 packet; its length must be the one that it tells.
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

  /// The parameters as those of one command, to the last byte.
  package func decode<Command: HCICommand>(as type: Command.Type) throws(ByteCodingError) -> Command {
    var reader = parameters
    let command = try Command(from: &reader)
    try reader.finish("command parameters")
    return command
  }
}

/// Return parameters of nothing but the status.
package struct HCIStatusReturnParameters: HCIReturnParameters {
  package var status: HCIStatus

  package init(status: HCIStatus = .success) { self.status = status }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    status = try reader.status()
  }

  package func encode(into writer: inout ByteWriter) { writer.status(status) }
}

/// Return parameters of status and connection handle.
package struct HCIConnectionReturnParameters: HCIReturnParameters {
  package var status: HCIStatus
  package var connectionHandle: ConnectionHandle

  package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle) {
    self.status = status
    self.connectionHandle = connectionHandle
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    status = try reader.status()
    connectionHandle = try ConnectionHandle(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) {
    writer.status(status)
    connectionHandle.encode(into: &writer)
  }
}
