import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

/// Both directions of a command, against the bytes of its packet; and every other length is refused.
func expectCommand<Command: HCICommand>(
  _ command: Command, _ hexadecimal: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let packet = try Hexadecimal.decode(hexadecimal)
  #expect(command.packet == packet, sourceLocation: sourceLocation)
  let decoded = try HCICommandPacket(decoding: packet)
  #expect(decoded.opcode == Command.opcode, sourceLocation: sourceLocation)
  #expect(try decoded.decode(as: Command.self) == command, sourceLocation: sourceLocation)
  for other in otherLengths(packet, lengthAt: 3) {
    #expect(throws: ByteCodingError.self, sourceLocation: sourceLocation) {
      try HCICommandPacket(decoding: other).decode(as: Command.self)
    }
  }
}

/// Both directions of what a command returns, against the bytes; and every other length is refused.
func expectReturn<Command: HCISynchronousCommand>(
  _ command: Command.Type, _ parameters: Command.ReturnParameters, _ hexadecimal: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let bytes = try Hexadecimal.decode(hexadecimal)
  var writer = ByteWriter()
  parameters.encode(into: &writer)
  #expect(writer.bytes == bytes, sourceLocation: sourceLocation)
  #expect(parameters.status == .success, sourceLocation: sourceLocation)
  #expect(HCIReply.complete(ByteReader(bytes)).returned(by: command) == parameters, sourceLocation: sourceLocation)
  for count in bytes.indices {
    let cut = HCIReply.complete(ByteReader(Array(bytes[..<count])))
    #expect(cut.returned(by: command) == nil, sourceLocation: sourceLocation)
  }
  #expect(HCIReply.complete(ByteReader(bytes + [0])).returned(by: command) == nil, sourceLocation: sourceLocation)
}

/// Decodes an event that must encode to the same bytes again; and every other length is refused.
func expectEvent(_ hexadecimal: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> HCIEvent {
  let packet = try Hexadecimal.decode(hexadecimal)
  let event = try HCIEvent(decoding: packet)
  #expect(event.encode() == packet, sourceLocation: sourceLocation)
  for other in otherLengths(packet, lengthAt: 2) {
    #expect(throws: ByteCodingError.self, sourceLocation: sourceLocation) { try HCIEvent(decoding: other) }
  }
  return event
}

/// An LE event, in both directions.
func expectMetaEvent(
  _ event: LEMetaEvent, _ hexadecimal: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  guard case .le(let decoded) = try expectEvent(hexadecimal, sourceLocation: sourceLocation) else {
    Issue.record("no LE event", sourceLocation: sourceLocation)
    return
  }
  #expect(decoded == event, sourceLocation: sourceLocation)
  #expect(HCIEvent.le(event).encode() == (try Hexadecimal.decode(hexadecimal)), sourceLocation: sourceLocation)
}

/// Expects LE parameters, behind the event header, to be refused.
func expectMetaEventRefused(_ hexadecimal: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let parameters = try Hexadecimal.decode(hexadecimal)
  #expect(throws: ByteCodingError.self, sourceLocation: sourceLocation) {
    try HCIEvent(decoding: [0x04, 0x3E, UInt8(parameters.count)] + parameters)
  }
}

/// `packet` cut at every place and one byte longer, each with its old length byte, and with one that fits.
private func otherLengths(_ packet: [UInt8], lengthAt index: Int) -> [[UInt8]] {
  var others: [[UInt8]] = []
  for count in 0..<packet.count {
    others.append(Array(packet[..<count]))
    if count > index {
      var fitting = Array(packet[..<count])
      fitting[index] = UInt8(count - index - 1)
      others.append(fitting)
    }
  }
  others.append(packet + [0])
  if packet[index] < 255 {
    var fitting = packet + [0]
    fitting[index] += 1
    others.append(fitting)
  }
  return others
}
