import BluetoothEmulator
import ByteCoding
import Testing

@testable import BluetoothHost

/// Which commands a host sends, and when: the controller's part is played by hand.
@Suite("A host's commands") struct HostCommandTests {
  private static let handle: ConnectionHandle = 1

  /// The opcodes that a host sends while its controller is played by hand.
  private func opcodes(_ actor: Actor, _ body: (inout Host, Duration) -> Void) -> [HCIOpcode] {
    actor.with { host, now in
      body(&host, now)
      var opcodes: [HCIOpcode] = []
      for case .packet(let packet) in host.takeOutputs() {
        if let command = try? HCICommandPacket(decoding: packet) { opcodes.append(command.opcode) }
      }
      return opcodes
    }
  }

  private func credits(_ count: UInt8) -> [UInt8] {
    HCIEvent.commandComplete(credits: count, opcode: .none, parameters: ByteReader([])).encode()
  }

  private let end = HCIEvent.disconnectionComplete(
    HCIDisconnectionComplete(connectionHandle: handle, reason: .connectionTimeout)
  ).encode()

  @Test("of a link that ended do not reach the next link of its handle") func reusedHandle() throws {
    let couple = try Couple()
    let sent = opcodes(couple.central) { host, now in
      host.receive(credits(0), now: now)
      host.readRSSI(couple.app, link: couple.link, now: now)
      host.disconnect(couple.app, from: couple.peripheral.address, now: now)
      host.receive(end, now: now)
      let next = LEConnectionComplete(
        connectionHandle: Self.handle, role: .peripheral, peer: .staticRandom(5))
      host.receive(HCIEvent.le(.connectionComplete(next)).encode(), now: now)
      for _ in 0..<9 { host.receive(credits(1), now: now) }
    }
    #expect(sent == [.leSetDataLength])
  }

  @Test("make no second link to a device before the first has ended") func reconnection() throws {
    let couple = try Couple()
    let before = opcodes(couple.central) { host, now in
      host.disconnect(couple.app, from: couple.peripheral.address, now: now)
      host.connect(couple.app, to: couple.peripheral.address, now: now)
      for _ in 0..<9 { host.receive(credits(1), now: now) }
    }
    #expect(before == [.disconnect])
    #expect(opcodes(couple.central) { host, now in host.receive(end, now: now) } == [.leCreateConnection])
  }

  @Test("that no supported command allows are not sent: some controllers never answer") func dataLength() throws {
    let stage = Stage()
    let central = stage.addActor(1)
    var faults = ControllerFaults()
    faults.refusedCommands = [HCIOpcode.readLocalSupportedCommands.rawValue: .unknownCommand]
    central.setFaults(faults)
    central.with { host, now in host.start(now: now) }
    let sent = opcodes(central) { host, now in
      let link = LEConnectionComplete(connectionHandle: 7, role: .peripheral, peer: .staticRandom(5))
      host.receive(HCIEvent.le(.connectionComplete(link)).encode(), now: now)
    }
    #expect(sent == [])
  }
}
