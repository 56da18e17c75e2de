import BluetoothHost
import ByteCoding
import Testing

@Suite struct HCIEventTests {
  @Test func commandComplete() throws {
    let packet: [UInt8] = [0x04, 0x0E, 0x04, 0x03, 0x03, 0x0C, 0x00]
    guard case .commandComplete(let credits, let opcode, let parameters) = try HCIEvent(decoding: packet) else {
      Issue.record("another event")
      return
    }
    #expect(credits == 3)
    #expect(opcode == .reset)
    var reader = parameters
    #expect(try HCIReset.ReturnParameters(from: &reader).status == .success)
    #expect(reader.isEmpty)
    #expect(HCIEvent.complete(HCIReset.self, .init(), credits: 3).encode() == packet)
  }

  @Test func commandStatus() throws {
    let packet: [UInt8] = [0x04, 0x0F, 0x04, 0x01, 0x00, 0x0D, 0x20]
    guard case .commandStatus(let status, let credits, let opcode) = try HCIEvent(decoding: packet) else {
      Issue.record("another event")
      return
    }
    #expect(status == .unknownCommand)
    #expect(credits == 0)
    #expect(opcode == .leCreateConnection)
    #expect(HCIEvent.commandStatus(status, credits: credits, opcode: opcode).encode() == packet)
  }
}
