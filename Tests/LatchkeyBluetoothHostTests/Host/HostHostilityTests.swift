import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A host that is sent what makes no sense") struct HostHostilityTests {
  /// Puts random bytes into all fields of a packet that begins like a real one.
  private func noise(_ random: inout SplitMix, _ handle: ConnectionHandle) -> [UInt8] {
    let bytes = (0..<Int(random.next() % 80)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let codes: [UInt8] = [0x05, 0x08, 0x0C, 0x0E, 0x0F, 0x13, 0x1A, 0x3E, 0xFF]
    let subevents: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x06, 0x07, 0x0A, 0x0B, 0x0D, 0x7F]
    switch random.next() % 6 {
    case 0: return bytes
    case 1:
      let code = codes[Int(random.next() % UInt64(codes.count))]
      return [0x04, code, UInt8(bytes.count)] + bytes
    case 2:
      return [0x04, 0x3E, UInt8(bytes.count + 1), subevents[Int(random.next() % UInt64(subevents.count))]] + bytes
    case 3:
      // A link, of any handle, to any peer.
      let fields: [UInt8] = [
        0x00, UInt8(random.next() % 8), 0, UInt8(random.next() % 2), 1, UInt8(random.next() % 4), 0, 0, 0, 0, 0xC0, 24,
        0,
        0, 0, 200, 0, 0,
      ]
      return [0x04, 0x3E, 0x13, 0x01] + fields
    default:
      // Data of an L2CAP channel of the link, whole.
      var packet: [UInt8] = [0x02, UInt8(handle.rawValue & 0xFF), 0x20]
      packet += [UInt8(bytes.count + 4), 0, UInt8(bytes.count), 0, UInt8(4 + random.next() % 3), 0]
      return packet + bytes
    }
  }

  @Test(
    "by its controller counts it, and works again after a reset", arguments: 0..<Stage.count(sample: 10, soak: 1000))
  func controllerNoise(_ seed: Int) throws {
    let couple = try Couple()
    var random = SplitMix(seed: UInt64(seed))
    couple.central.with { host, now in
      for index in 0..<3000 {
        let time = now + .milliseconds(index)
        host.receive(noise(&random, 1), now: time)
        if index % 50 == 0 { host.handleTimeout(now: time) }
        // Its outputs are not performed, but all of them must be bounded.
        _ = host.dequeueOutputs()
      }
    }
    let links = couple.central.with { host, _ in host.links.count }
    #expect(links <= 8)
    let queued = couple.central.with { host, _ in
      var most = 0
      for link in host.links { most = max(most, host.acl.queuedFrames(link.handle)) }
      return most
    }
    #expect(queued <= ACLTransmitter.mostFrames)
    // Each procedure still ends, and the next attempt works.
    couple.central.with { host, now in host.start(now: now) }
    couple.stage.advance(.seconds(5))
    #expect(couple.central.with { host, _ in host.state } == .poweredOn)
    couple.central.clearLog()
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.wait { couple.central.link(couple.app) != nil }
    let link = try #require(couple.central.link(couple.app))
    #expect(couple.central.run(.write(couple.placement[.plain], [1]), couple.app, link)?.isWritten == true)
  }

  /// A controller without a host of its own, driven by hand: a central that says what it likes on its link.
  private func hostileCentral(of lamp: Actor, _ stage: Stage) -> ControllerID {
    stage.simulation.withRadio { radio, now in
      let id = radio.addController()
      // LE Set Random Address, LE Create Connection.
      radio.receive([0x01, 0x05, 0x20, 0x06, 7, 0, 0, 0, 0, 0xC0], from: id, now: now)
      var writer = ByteWriter()
      lamp.address.encode(into: &writer)
      radio.receive(
        [0x01, 0x0D, 0x20, 25, 0x60, 0, 0x60, 0, 0, 1] + writer.bytes + [1, 24, 0, 40, 0, 0, 0, 200, 0, 0, 0, 0, 0],
        from: id, now: now)
      return id
    }
  }

  @Test("by a peer, 64 KiB on ATT and on L2CAP, still serves others", arguments: 0..<Stage.count(sample: 6, soak: 300))
  func peerNoise(_ seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let stage = Stage()
    let (lamp, honest) = (stage.addActor(1), stage.addActor(2))
    let (device, app) = (lamp.addClient(), honest.addClient())
    let placement = try lamp.publish(device)
    lamp.advertise(device)
    var hostile = hostileCentral(of: lamp, stage)
    honest.connect(app, to: lamp)
    stage.wait { honest.link(app) != nil && lamp.count(device, "connected 7 as peripheral") == 1 }
    let link = try #require(honest.link(app))
    var sent = 0
    while sent < 65536 {
      let count = Int(random.next() % 240)
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let channel: UInt8 = [4, 4, 4, 5, 6, 0x41][Int(random.next() % 6)]
      let length = random.next() % 8 == 0 ? Int(random.next() % 300) : count
      let boundary: UInt8 = random.next() % 8 == 0 ? 0x10 : 0x00
      let packet = [0x02, 0x01, boundary, UInt8(count + 4), 0, UInt8(length & 0xFF), UInt8(length >> 8), channel, 0]
      stage.simulation.withRadio { radio, now in radio.receive(packet + bytes, from: hostile, now: now) }
      sent += packet.count + count
      if lamp.heard(device).last?.hasPrefix("disconnected 7") == true {
        // It was thrown out, and comes again.
        lamp.clearLog()
        stage.simulation.withRadio { radio, now in radio.removeController(hostile, now: now) }
        hostile = hostileCentral(of: lamp, stage)
        stage.wait { lamp.count(device, "connected 7 as peripheral") == 1 }
      }
    }
    #expect(honest.run(.write(placement[.plain], [1, 2]), app, link)?.isWritten == true)
    #expect(honest.run(.read(placement[.plain]), app, link)?.value == [1, 2])
  }

  @Test(
    "by a peer that continues to ask and reads no answer, closes the link",
    arguments: [
      // Find Information, over and over; an L2CAP command that is rejected; an indication that is confirmed; a request for a
      // channel.
      [0x05, 0x00, 0x04, 0x00, 0x04, 0x01, 0x00, 0xFF, 0xFF],
      [0x06, 0x00, 0x05, 0x00, 0x7F, 0x01, 0x02, 0x00, 0x00, 0x00], [0x03, 0x00, 0x04, 0x00, 0x1D, 0x03, 0x00],
      [0x0E, 0x00, 0x05, 0x00, 0x14, 0x01, 0x0A, 0x00, 0x80, 0x00, 0x40, 0x00, 0x17, 0x00, 0x17, 0x00, 0x01, 0x00],
    ]) func asksAndAsks(_ pdu: [UInt8]) throws
  {
    let couple = try Couple()
    // The peer's link layer accepts no packet: the controller's buffers never come back.
    var faults = ControllerFaults()
    faults.credits = .withheld
    couple.peripheral.setFaults(faults)
    couple.peripheral.with { host, now in
      for _ in 0..<200 {
        host.receive([0x02, 0x01, 0x20, UInt8(pdu.count), 0x00] + pdu, now: now)
        _ = host.dequeueOutputs()
      }
    }
    let isClosing = couple.peripheral.with { host, _ in host.links.first?.isClosing }
    #expect(isClosing == true)
    couple.stage.advance(Link.disconnectTimeout)
    #expect(couple.peripheral.with { host, _ in host.links.count } == 0)
  }

  /// Connection Parameter Update Request: 30 to 50 ms, nothing skipped, lost after 2 s.
  private static let parameterRequest: [UInt8] = [
    0x02, 0x01, 0x20, 0x10, 0x00, 0x0C, 0x00, 0x05, 0x00, 0x12, 0x01, 0x08, 0x00, 24, 0, 40, 0, 0, 0, 0xC8, 0,
  ]

  @Test("by a peer that asks for other parameters on and on, has one command under way") func parameterRequests() throws
  {
    let couple = try Couple()
    var answers: [UInt8] = []
    let commands = couple.central.with { host, now in
      var commands = 0
      for _ in 0..<12 {
        host.receive(Self.parameterRequest, now: now)
        for case .packet(let packet) in host.dequeueOutputs() {
          if packet.starts(with: [0x01, 0x13, 0x20]) { commands += 1 }
          if packet.first == 0x02, packet[7] == 0x05 { answers.append(packet[13]) }
        }
      }
      // The controller reports that the first one is completed: the next may follow.
      host.receive([0x04, 0x3E, 0x0A, 0x03, 0x00, 0x01, 0x00, 24, 0, 0, 0, 0xC8, 0], now: now)
      host.receive(Self.parameterRequest, now: now)
      for case .packet(let packet) in host.dequeueOutputs() where packet.first == 0x02 { answers.append(packet[13]) }
      return commands
    }
    #expect(commands == 1)
    // The client whose request was accepted has it: the others get a refusal.
    #expect(answers.first == 0)
    #expect(answers.dropFirst().dropLast().allSatisfy { $0 == 1 })
    #expect(answers.last == 0)
  }
}
