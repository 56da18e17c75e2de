import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

/// PDUs of the LE signalling channel, as bytes: code, identifier, length, data.
@Suite struct L2CAPSignallingTests {
  private func react(_ pdu: [UInt8], _ role: LinkRole = .central) -> L2CAPSignalling.Reaction {
    L2CAPSignalling.react(to: ByteReader(pdu), role: role)
  }

  private func send(_ payload: [UInt8]) -> L2CAPSignalling.Reaction {
    .send(Array(repeating: 0, count: OutgoingFrame.headroom) + payload)
  }

  /// Interval 20...30 ms, latency 2, timeout 3 s.
  private static let update: [UInt8] = [
    0x12, 0x05, 0x08, 0x00, 0x10, 0x00, 0x18, 0x00, 0x02, 0x00, 0x2C, 0x01,
  ]

  @Test("A central accepts valid parameters of its peripheral") func centralAcceptsParameters() {
    let parameters = ConnectionParameters(
      minimumInterval: 16, maximumInterval: 24, latency: 2, supervisionTimeout: 300)
    let response: [UInt8] = [0x13, 0x05, 0x02, 0x00, 0x00, 0x00]
    #expect(
      react(Self.update) == .update(parameters, send: Array(repeating: 0, count: 9) + response))
  }

  @Test("A peripheral does not support the command") func peripheralDoesNotKnowTheCommand() {
    #expect(react(Self.update, .peripheral) == send([0x01, 0x05, 0x02, 0x00, 0x00, 0x00]))
  }

  /// Minimum, maximum, latency, timeout: each just inside its range is accepted, just outside refused.
  @Test(
    "Parameters are accepted only in their ranges",
    arguments: [
      ([12, 12, 0, 200], true), ([11, 12, 0, 200], false), ([12, 1599, 0, 600], true), ([12, 1600, 0, 600], false),
      ([13, 12, 0, 200], false), ([0, 0, 0, 0], false), ([12, 24, 30, 300], true), ([12, 24, 31, 300], false),
      ([12, 12, 0, 199], false), ([12, 12, 0, 600], true), ([12, 12, 0, 601], false), ([12, 3200, 0, 3200], false),
      ([12, 400, 3, 600], false), ([12, 399, 3, 600], true), ([12, 12, 499, 3200], false), ([12, 533, 0, 200], true),
      ([12, 534, 0, 200], false), ([65535, 65535, 65535, 65535], false),
    ] as [([UInt16], Bool)])
  func rangesOfParameters(numbers: [UInt16], isAccepted: Bool) {
    var writer = ByteWriter()
    for byte: UInt8 in [0x12, 0x01, 0x08, 0x00] { writer.uint8(byte) }
    for number in numbers { writer.uint16(number) }
    switch react(writer.bytes) {
    case .update(_, let frame):
      #expect(isAccepted)
      #expect(Array(frame.dropFirst(9)) == [0x13, 0x01, 0x02, 0x00, 0x00, 0x00])
    case .send(let frame):
      #expect(!isAccepted)
      #expect(Array(frame.dropFirst(9)) == [0x13, 0x01, 0x02, 0x00, 0x01, 0x00])
    default: Issue.record("no response")
    }
  }

  @Test("Only one change of parameters is in progress") func oneChangeAtATime() {
    let reaction = L2CAPSignalling.react(
      to: ByteReader(Self.update), role: .central, isChangingParameters: true)
    #expect(reaction == send([0x13, 0x05, 0x02, 0x00, 0x01, 0x00]))
  }

  @Test("Unknown requests are rejected") func unknownRequestsAreRejected() {
    for code: UInt8 in [0x00, 0x02, 0x04, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x17, 0x19, 0x1B, 0x80, 0xFF] {
      #expect(react([code, 0x42, 0x01, 0x00, 0xAA]) == send([0x01, 0x42, 0x02, 0x00, 0x00, 0x00]))
    }
  }

  @Test("Responses are never rejected") func responsesAreNeverRejected() {
    for code: UInt8 in [0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x16, 0x18, 0x1A] {
      #expect(react([code, 0x42, 0x01, 0x00, 0xAA]) == .ignore)
      #expect(react([code, 0x42, 0xFF, 0x00, 0xAA]) == .ignore)
      #expect(react([code, 0x42, 0x20, 0x00] + Array(repeating: 0, count: 32)) == .ignore)
    }
  }

  @Test("Identifier zero is ignored") func identifierZeroIsIgnored() {
    #expect(react([0x12, 0x00] + Self.update.dropFirst(2)) == .ignore)
    #expect(react([0xFF, 0x00, 0x00, 0x00]) == .ignore)
  }

  @Test("A PDU shorter than a header is ignored") func shorterThanAHeaderIsIgnored() {
    for count in 0..<4 { #expect(react(Array(Self.update[..<count])) == .ignore) }
  }

  @Test("Wrong lengths are not understood") func wrongLengthsAreNotUnderstood() {
    let reject = send([0x01, 0x05, 0x02, 0x00, 0x00, 0x00])
    for count in 4..<Self.update.count { #expect(react(Array(Self.update[..<count])) == reject) }
    #expect(react(Self.update + [0x00]) == reject)
    // The length right, but not that of the command.
    #expect(react([0x12, 0x05, 0x07, 0x00] + Self.update.dropFirst(4).dropLast()) == reject)
    #expect(react([0x12, 0x05, 0x09, 0x00] + Self.update.dropFirst(4) + [0x00]) == reject)
    #expect(react([0x06, 0x05, 0x03, 0x00, 0x40, 0x00, 0x41]) == reject)
    #expect(react([0x14, 0x05, 0x09, 0x00, 1, 2, 3, 4, 5, 6, 7, 8, 9]) == reject)
  }

  @Test("A PDU longer than the MTU is rejected") func longerThanTheMTU() {
    let most: [UInt8] = [0x17, 0x09, 19, 0x00] + Array(repeating: 1, count: 19)
    #expect(react(most) == send([0x01, 0x09, 0x02, 0x00, 0x00, 0x00]))
    let more: [UInt8] = [0x17, 0x09, 20, 0x00] + Array(repeating: 1, count: 20)
    #expect(react(more) == send([0x01, 0x09, 0x04, 0x00, 0x01, 0x00, 0x17, 0x00]))
  }

  @Test("Commands about channels are for the caller") func commandsAboutChannels() {
    let (four, five) = (L2CAPChannelID(rawValue: 0x0040), L2CAPChannelID(rawValue: 0x0041))
    #expect(
      react([0x06, 0x03, 0x04, 0x00, 0x40, 0x00, 0x41, 0x00])
        == .channel(identifier: 3, .disconnectionRequest(destination: four, source: five)))
    let request: [UInt8] = [
      0x14, 0x07, 0x0A, 0x00, 0x25, 0x00, 0x40, 0x00, 0x17, 0x00, 0x18, 0x00, 0x01, 0x00,
    ]
    let signal = L2CAPSignal.leCreditBasedConnectionRequest(
      L2CAPLECreditBasedConnectionRequest(spsm: 0x25, source: four, mtu: 23, mps: 24, initialCredits: 1))
    #expect(react(request) == .channel(identifier: 7, signal))
    #expect(react(request, .peripheral) == .channel(identifier: 7, signal))
    #expect(
      react([0x16, 0x01, 0x04, 0x00, 0x40, 0x00, 0xFF, 0xFF])
        == .channel(identifier: 1, .flowControlCredit(channel: four, credits: 0xFFFF)))
  }

  @Test("Answers to own commands are reported") func answersToOwnCommands() {
    #expect(
      react([0x13, 0x09, 0x02, 0x00, 0x01, 0x00], .peripheral)
        == .answered(identifier: 9, .connectionParameterUpdateResponse(isAccepted: false)))
    #expect(
      react([0x01, 0x09, 0x02, 0x00, 0x00, 0x00]) == .answered(identifier: 9, .commandReject(.notUnderstood)))
    #expect(
      react([0x01, 0x09, 0x04, 0x00, 0x01, 0x00, 0x30, 0x00])
        == .answered(identifier: 9, .commandReject(.mtuExceeded(48))))
    #expect(react([0x13, 0x09, 0x02, 0x00, 0x02, 0x00]) == .ignore)
    #expect(react([0x01, 0x09, 0x02, 0x00, 0x03, 0x00]) == .ignore)
    #expect(react([0x01, 0x09, 0x02, 0x00, 0x02, 0x00]) == .ignore)
  }

  /// The peer's own decoder reads the bytes that are encoded for it.
  @Test("A peripheral's parameter request has the specification's bytes") func commandsOfAPeripheral() {
    let parameters = ConnectionParameters()
    let frame = L2CAPSignal.connectionParameterUpdateRequest(parameters).frame(identifier: 0x77)
    #expect(Array(frame.prefix(9)) == Array(repeating: 0, count: 9))
    #expect(
      Array(frame.dropFirst(9)) == [0x12, 0x77, 0x08, 0x00, 0x0C, 0x00, 0x18, 0x00, 0x00, 0x00, 0xF4, 0x01])
    #expect(parameters.isValid)
  }
}
