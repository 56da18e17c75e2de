import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@Suite("The commands of a host on the signalling channel") struct L2CAPSignallingMachineTests {
  private let request = L2CAPSignal.leCreditBasedConnectionRequest(
    L2CAPLECreditBasedConnectionRequest(
      spsm: 0x80, source: L2CAPChannelID(rawValue: 0x40), mtu: 23, mps: 23, initialCredits: 1))

  private func connection(_ number: UInt64) -> L2CAPSignallingMachine.Purpose { .connection(ChannelID(number)) }

  /// The identifier of a frame.
  private func identifier(_ frame: [UInt8]?) -> UInt8? { frame.map { $0[OutgoingFrame.headroom + 1] } }

  private func receive(_ pdu: [UInt8], _ machine: inout L2CAPSignallingMachine) -> L2CAPSignallingMachine.Reaction {
    machine.receive(ByteReader(pdu), role: .peripheral)
  }

  private func response(_ identifier: UInt8) -> [UInt8] {
    [0x15, identifier, 0x0A, 0x00, 0x41, 0x00, 0x17, 0x00, 0x17, 0x00, 0x01, 0x00, 0x00, 0x00]
  }

  @Test("Identifiers go from 1 to 255, and begin again at 1") func identifiersInTurn() {
    var machine = L2CAPSignallingMachine()
    for expected in Array(1...0xFF) + [1, 2] {
      let frame = machine.indication(.flowControlCredit(channel: L2CAPChannelID(rawValue: 0x40), credits: 1))
      #expect(identifier(frame) == UInt8(expected))
    }
  }

  @Test("No identifier is used again while its answer is outstanding") func outstandingIdentifiersAreSkipped() {
    var machine = L2CAPSignallingMachine()
    #expect(identifier(machine.request(request, for: connection(1), now: .zero)) == 1)
    #expect(identifier(machine.request(request, for: connection(2), now: .zero)) == 2)
    for number in 3...0xFF { #expect(identifier(machine.indication(request)) == UInt8(number)) }
    #expect(identifier(machine.indication(request)) == 3)
    guard case .answered(connection(1), _) = receive(response(1), &machine) else {
      Issue.record("no answer")
      return
    }
    for number in 4...0xFF { #expect(identifier(machine.indication(request)) == UInt8(number)) }
    #expect(identifier(machine.indication(request)) == 1)
    #expect(identifier(machine.indication(request)) == 3)
  }

  @Test("With 255 outstanding commands there is no other") func allIdentifiersOutstanding() {
    var machine = L2CAPSignallingMachine()
    for number in 1...255 as ClosedRange<UInt64> {
      #expect(machine.request(request, for: connection(number), now: .zero) != nil)
    }
    #expect(machine.request(request, for: connection(256), now: .zero) == nil)
    #expect(machine.indication(request) == nil)
    guard case .answered(connection(77), _) = receive(response(77), &machine) else {
      Issue.record("no answer")
      return
    }
    #expect(identifier(machine.indication(request)) == 77)
  }

  @Test("Answers to nothing, twice, or of another kind are ignored") func otherAnswersAreIgnored() {
    var machine = L2CAPSignallingMachine()
    #expect(receive(response(1), &machine) == .ignore)
    _ = machine.request(request, for: connection(1), now: .zero)
    #expect(receive(response(2), &machine) == .ignore)
    #expect(receive([0x13, 0x01, 0x02, 0x00, 0x00, 0x00], &machine) == .ignore)
    #expect(receive([0x07, 0x01, 0x04, 0x00, 0x41, 0x00, 0x40, 0x00], &machine) == .ignore)
    guard case .answered(connection(1), _) = receive(response(1), &machine) else {
      Issue.record("no answer")
      return
    }
    #expect(receive(response(1), &machine) == .ignore)
  }

  @Test("A rejection answers each kind of command") func rejectionAnswers() {
    var machine = L2CAPSignallingMachine()
    _ = machine.request(request, for: connection(1), now: .zero)
    _ = machine.requestParameters(ConnectionParameters(), now: .zero)
    let reject = L2CAPSignal.commandReject(.notUnderstood)
    #expect(receive([0x01, 0x01, 0x02, 0x00, 0x00, 0x00], &machine) == .answered(connection(1), reject))
    #expect(receive([0x01, 0x02, 0x02, 0x00, 0x00, 0x00], &machine) == .answered(.parameters, reject))
  }

  @Test("A response to a disconnection names its channel") func disconnectionResponsesNameTheChannel() {
    var machine = L2CAPSignallingMachine()
    let (local, remote) = (L2CAPChannelID(rawValue: 0x40), L2CAPChannelID(rawValue: 0x51))
    let purpose = L2CAPSignallingMachine.Purpose.disconnection(ChannelID(1), local: local, remote: remote)
    _ = machine.request(.disconnectionRequest(destination: remote, source: local), for: purpose, now: .zero)
    #expect(receive([0x07, 0x01, 0x04, 0x00, 0x40, 0x00, 0x51, 0x00], &machine) == .ignore)
    #expect(receive([0x07, 0x01, 0x04, 0x00, 0x51, 0x00, 0x41, 0x00], &machine) == .ignore)
    guard case .answered(purpose, _) = receive([0x07, 0x01, 0x04, 0x00, 0x51, 0x00, 0x40, 0x00], &machine) else {
      Issue.record("no answer")
      return
    }
  }

  @Test("A peer has 30 seconds, and a channel that it opens later is recognized") func responseTimeout() {
    var machine = L2CAPSignallingMachine()
    _ = machine.request(request, for: connection(1), now: .seconds(1))
    _ = machine.requestParameters(ConnectionParameters(), now: .seconds(2))
    #expect(machine.nextDeadline == .seconds(31))
    #expect(machine.expire(now: .milliseconds(30_999)) == [])
    #expect(machine.expire(now: .seconds(31)) == [connection(1)])
    #expect(machine.nextDeadline == .seconds(32))
    machine.postpone(until: .seconds(40), now: .seconds(32))
    #expect(machine.expire(now: .seconds(39)) == [])
    #expect(machine.expire(now: .seconds(40)) == [.parameters])
    #expect(machine.nextDeadline == nil)
    #expect(receive([0x13, 0x02, 0x02, 0x00, 0x00, 0x00], &machine) == .ignore)
    guard case .answered(connection(1), _) = receive(response(1), &machine) else {
      Issue.record("not recognized")
      return
    }
  }

  @Test("Of the parameters that wait for an outstanding request only the last are requested") func lastParameters() {
    var machine = L2CAPSignallingMachine()
    let (low, high) = (
      ConnectionParameters(minimumInterval: 12, maximumInterval: 24),
      ConnectionParameters(minimumInterval: 240, maximumInterval: 320, supervisionTimeout: 600)
    )
    #expect(identifier(machine.requestParameters(low, now: .zero)) == 1)
    #expect(machine.requestParameters(low, now: .zero) == nil)
    #expect(machine.requestParameters(high, now: .zero) == nil)
    #expect(machine.nextParametersRequest(now: .zero) == nil)
    _ = receive([0x13, 0x01, 0x02, 0x00, 0x00, 0x00], &machine)
    #expect(
      machine.nextParametersRequest(now: .zero)
        == L2CAPSignal.connectionParameterUpdateRequest(high).frame(identifier: 2))
    _ = receive([0x13, 0x02, 0x02, 0x00, 0x00, 0x00], &machine)
    #expect(machine.nextParametersRequest(now: .zero) == nil)
  }
}
