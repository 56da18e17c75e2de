import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A host's state") struct HostStateTests {
  @Test("is unknown until the controller has answered, then poweredOn") func powersOn() {
    let host = Stage().addActor(1)
    #expect(host.with { host, _ in host.state } == .poweredOn)
    // A client that comes later hears of changes alone.
    let client = host.addClient()
    #expect(host.heard(client) == [])
  }

  @Test("is poweredOff before there is a controller, and unknown while one is sought") func withoutController() {
    var host = Host(configuration: HostConfiguration(ownAddress: .staticRandom(1)))
    let client = host.addClient()
    var states = [host.state]
    host.expectController()
    states.append(host.state)
    let deadline = host.nextDeadline
    host.start(now: .zero)
    states.append(host.state)
    #expect(states == [.poweredOff, .unknown, .unknown])
    #expect(deadline == nil)
    let outputs = host.dequeueOutputs()
    #expect(outputs.count == 2)
    guard case .event(.stateChanged(.unknown, _), client) = outputs[0],
      case .packet([0x01, 0x03, 0x0C, 0x00]) = outputs[1]
    else {
      Issue.record("not the change and a Reset: \(outputs)")
      return
    }
  }

  @Test("is unsupported if the controller never answers") func silentController() {
    let host = Stage().addActor(1)
    let client = host.addClient()
    var faults = ControllerFaults()
    faults.silentCommands = [HCIOpcode.reset.rawValue]
    host.setFaults(faults)
    host.with { host, now in host.start(now: now) }
    #expect(host.heard(client) == ["unknown"])
    host.simulation.advance(by: .seconds(3))
    #expect(host.heard(client) == ["unknown", "unsupported"])
    #expect(host.with { host, _ in host.failure } == .unanswered(.reset))
    #expect(host.with { host, _ in host.nextDeadline } == nil)
  }

  @Test(
    "is unsupported if a mandatory command is refused",
    arguments: [
      HCIOpcode.reset, .setEventMask, .leReadBufferSize, .leSetRandomAddress,
    ]) func refused(_ opcode: HCIOpcode)
  {
    let host = Stage().addActor(1)
    var faults = ControllerFaults()
    faults.refusedCommands = [
      opcode.rawValue: .hardwareFailure, HCIOpcode.leReadBufferSizeV2.rawValue: .unknownCommand,
    ]
    host.setFaults(faults)
    host.with { host, now in host.start(now: now) }
    #expect(host.with { host, _ in host.state } == .unsupported)
    #expect(host.with { host, _ in host.failure } == .refused(opcode, .hardwareFailure))
    // The controller is another one the next time.
    host.setFaults(ControllerFaults())
    host.with { host, now in host.start(now: now) }
    #expect(host.with { host, _ in host.state } == .poweredOn)
    #expect(host.with { host, _ in host.failure } == nil)
  }

  @Test("accepts no request of a client unless it is poweredOn") func refusedRequests() {
    let host = Stage().addActor(1)
    let client = host.addClient()
    host.with { host, now in host.stop(now: now) }
    host.advertise(client)
    host.connect(client, to: host)
    host.with { host, now in
      host.startScan(client, services: nil, allowDuplicates: false, now: now)
      host.disconnect(client, from: .staticRandom(9), now: now)
      host.readRSSI(client, link: LinkID(7), now: now)
    }
    #expect(!host.with { host, _ in host.isAdvertising(client) })
    #expect(host.with { host, _ in host.nextDeadline } == nil)
    #expect(!host.with { host, now in host.writeCommand([1], to: 3, client: client, link: LinkID(7), now: now) })
    #expect(host.with { host, _ in host.mtu(of: LinkID(7)) } == 23)
    #expect(host.heard(client) == ["poweredOff", "rssi none"])
  }

  @Test("resets on a hardware error, and everything begins anew") func hardwareError() throws {
    let couple = try Couple()
    couple.central.clearLog()
    couple.peripheral.clearLog()
    let request = couple.central.submit(.read(couple.placement[.plain]), couple.app, couple.link)
    _ = couple.central.simulation.dequeueOutcome(request, of: couple.central.node)
    couple.peripheral.isAnswering = false
    let waiting = couple.central.submit(.read(couple.placement[.plain]), couple.app, couple.link)
    let node = couple.central.node
    couple.stage.simulation.withRadio { radio, now in radio.raiseHardwareError(on: node, now: now) }
    #expect(couple.central.heard(couple.app) == ["disconnected 2 08", "resetting", "poweredOn"])
    #expect(couple.stage.simulation.dequeueOutcome(waiting, of: node)?.failure == .disconnected)
    #expect(couple.central.with { host, _ in host.connectedPeers.isEmpty })
    // The peer finds out by itself, advertises again, and is found again.
    couple.peripheral.isAnswering = true
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.wait { couple.central.heard(couple.app).last == "connected 2 as central" }
    couple.stage.advance(.seconds(3))
    #expect(couple.peripheral.count(couple.device, "disconnected 1 08") == 1)
    let link = try #require(couple.central.link(couple.app))
    #expect(couple.central.run(.read(couple.placement[.plain]), couple.app, link)?.value == [])
  }

  @Test("is poweredOff when the controller is gone, with nothing left to do") func powersOff() throws {
    let couple = try Couple()
    let (central, app) = (couple.central, couple.app)
    // A scan, a pending connection, advertising: none survives.
    central.advertise(app)
    central.with { host, now in
      host.startScan(app, services: nil, allowDuplicates: true, now: now)
      host.connect(app, to: .staticRandom(99), now: now)
    }
    central.clearLog()
    couple.stage.simulation.setPowered(false, central.node)
    #expect(central.heard(app) == ["disconnected 2 08", "poweredOff"])
    #expect(central.with { host, _ in host.nextDeadline } == nil)
    #expect(!central.with { host, _ in host.isAdvertising(app) })
    // A packet that a transport still delivers changes nothing, a hardware error neither.
    central.with { host, now in
      host.receive([0x04, 0x10, 0x01, 0x01], now: now)
      host.receive([0x02, 0x01, 0x20, 0x05, 0x00, 0x01, 0x00, 0x04, 0x00, 0x0A], now: now)
    }
    #expect(central.with { host, _ in host.state } == .poweredOff)
    #expect(central.with { host, _ in host.nextDeadline } == nil)
    couple.stage.simulation.setPowered(true, central.node)
    #expect(central.heard(app).suffix(2) == ["unknown", "poweredOn"])
    couple.stage.advance(.seconds(10))
    #expect(central.heard(app).last == "poweredOn")
  }

  @Test("asks nothing of a controller that is gone, whatever was under way", arguments: [true, false])
  func nothingAfterStop(_ isAdvertising: Bool) throws {
    let couple = try Couple()
    if isAdvertising { couple.peripheral.advertise(couple.device, name: "again") }
    couple.peripheral.with { host, now in
      host.stop(now: now)
      host.removeClient(ClientID(99), now: now)
      for case .packet(let packet) in host.dequeueOutputs() { Issue.record("sent \(packet)") }
      host.start(now: now)
      var packets: [[UInt8]] = []
      for case .packet(let packet) in host.dequeueOutputs() { packets.append(packet) }
      #expect(packets == [[0x01, 0x03, 0x0C, 0x00]])
    }
  }
}
