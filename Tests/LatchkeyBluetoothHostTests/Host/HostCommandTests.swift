import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Which commands a host sends, and when: the controller's part is played by hand.
@Suite("A host's commands") struct HostCommandTests {
  private static let handle: ConnectionHandle = 1

  /// The opcodes that a host sends while its controller is played by hand.
  private func opcodes(_ actor: Actor, _ body: (inout Host, Duration) -> Void) -> [HCIOpcode] {
    actor.with { host, now in
      body(&host, now)
      var opcodes: [HCIOpcode] = []
      for case .packet(let packet) in host.dequeueOutputs() {
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

  @Test("answer a peer that asks for parameters which no accessory may have in the negative") func parameters() throws {
    let couple = try Couple()
    func answers(toInterval interval: UInt16) -> [HCIOpcode] {
      opcodes(couple.central) { host, now in
        let (low, high) = (UInt8(interval & 0xFF), UInt8(interval >> 8))
        host.receive([0x04, 0x3E, 0x0B, 0x06, 0x01, 0x00, low, high, low, high, 0, 0, 0x58, 0x02], now: now)
        host.receive(credits(1), now: now)
      }
    }
    #expect(answers(toInterval: 24) == [.leRemoteConnectionParameterRequestReply])
    couple.central.with { host, now in host.receive([0x04, 0x0E, 0x06, 0x01, 0x20, 0x20, 0x00, 0x01, 0x00], now: now) }
    // 4 s.
    #expect(answers(toInterval: 3200) == [.leRemoteConnectionParameterRequestNegativeReply])
  }

  @Test("to write that are too long for the link are not sent, and that is said") func tooLongWriteCommand() throws {
    let couple = try Couple(mtu: 23)
    for count in [20, 21] {
      let isTaken = couple.central.with { host, now in
        host.writeCommand(
          [UInt8](repeating: 1, count: count), to: couple.placement[.command], client: couple.app, link: couple.link,
          now: now)
      }
      #expect(isTaken)
      couple.stage.advance(.seconds(1))
    }
    #expect(couple.peripheral.commands(couple.device).map(\.count) == [20])
    #expect(couple.central.with { host, _ in host.ignored.commands } == 1)
    let notices = couple.stage.simulation.dequeueNotices(of: couple.central.node)
    #expect(notices == [.writeCommandTooLong(couple.peripheral.address, count: 21, limit: 20)])
  }
}
