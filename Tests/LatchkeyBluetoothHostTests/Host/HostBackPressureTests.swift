import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

@Suite("Back-pressure") struct HostBackPressureTests {
  /// The most values that the controllers between two hosts, and the hosts themselves, hold: two windows and the queue.
  static let mostUnderWay =
    ControllerInitialization.hostPacketCount + ACLBuffers.standard.count + Link.transmitCapacity

  /// Sends numbered notifications until one is refused.
  private func notify(_ couple: Couple, from start: Int) -> Int {
    var number = start
    couple.peripheral.with { host, now in
      while number < start + 100_000,
        host.updateValue(
          [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF)], of: couple.placement[.notifying], links: nil,
          client: couple.device, now: now)
      {
        number += 1
      }
    }
    return number
  }

  private func subscribed(_ controller: ControllerConfiguration = ControllerConfiguration()) throws -> Couple {
    let couple = try Couple(controller: controller)
    #expect(
      couple.central.configure(.notifying, of: couple.placement, enabled: true, couple.app, couple.link)?.isWritten
        == true)
    return couple
  }

  @Test(
    "stalls a peer's notifications while the client does not consume them, and loses none", arguments: [true, false])
  func notifications(_ isSmallest: Bool) throws {
    let couple = try subscribed(ControllerConfiguration(buffers: isSmallest ? .smallest : .standard))
    couple.central.isConsuming = false
    var sent = 0
    for _ in 0..<20 {
      sent = notify(couple, from: sent)
      couple.stage.advance(.seconds(1))
    }
    #expect(sent <= Self.mostUnderWay)
    #expect(couple.central.notifications(couple.app).count <= ControllerInitialization.hostPacketCount)
    #expect(couple.peripheral.count(couple.device, "ready to update") == 0 || sent > 0)
    // Another 10 000 come through once the client consumes its values, each in its turn.
    couple.central.isConsuming = true
    couple.central.with { host, now in host.consumed(1000, on: couple.link, client: couple.app, now: now) }
    while sent < 10_000 {
      let before = sent
      sent = notify(couple, from: sent)
      try #require(sent > before)
    }
    couple.stage.advance(.seconds(1))
    let numbers = couple.central.notifications(couple.app).map { Int($0[0]) | Int($0[1]) << 8 }
    #expect(numbers == Array(0..<sent))
  }

  @Test("reports capacity once, after any number of refusals") func readyOnce() throws {
    let couple = try subscribed()
    couple.central.isConsuming = false
    var (sent, before) = (0, -1)
    while sent > before {
      before = sent
      sent = notify(couple, from: sent)
    }
    for _ in 0..<10 { #expect(notify(couple, from: sent) == sent) }
    couple.peripheral.clearLog()
    couple.central.with { host, now in host.consumed(1000, on: couple.link, client: couple.app, now: now) }
    couple.stage.advance(.seconds(1))
    #expect(couple.peripheral.heard(couple.device) == ["ready to update"])
  }

  @Test("holds no link that ended while its packets were not yet returned") func endedLinks() throws {
    let couple = try Couple()
    #expect(couple.central.with { host, _ in host.capabilities.usesHostFlowControl })
    for _ in 0..<5 {
      let link = try #require(couple.central.link(couple.app))
      #expect(couple.central.run(.read(couple.placement[.plain]), couple.app, link)?.failure == nil)
      couple.central.disconnect(couple.app, from: couple.peripheral)
      let hosts = [couple.central, couple.peripheral]
      couple.stage.wait { hosts.allSatisfy { $0.with { host, _ in host.links.isEmpty } } }
      for actor in hosts {
        #expect(actor.with { host, _ in host.returningLinks.isEmpty && host.window.unreturned == 0 })
      }
      couple.central.clearLog()
      couple.central.connect(couple.app, to: couple.peripheral)
      couple.stage.wait { couple.central.link(couple.app) != nil }
    }
  }

  @Test("refuses Write Commands, and reports once when it accepts them again") func writeCommands() throws {
    let couple = try Couple()
    let (central, app, link) = (couple.central, couple.app, couple.link)
    let other = central.addClient()
    central.connect(other, to: couple.peripheral)
    couple.peripheral.isConsuming = false
    var sent = 0
    func send(_ client: ClientID) -> Bool {
      central.with { host, now in
        host.writeCommand(
          [UInt8(sent & 0xFF), UInt8(sent >> 8)], to: couple.placement[.command], client: client, link: link, now: now)
      }
    }
    while send(app) { sent += 1 }
    #expect(sent <= Self.mostUnderWay)
    #expect(!send(other))
    #expect(!send(app))
    #expect(!central.with { host, _ in host.canSendWriteWithoutResponse(app, on: link) })
    central.clearLog()
    couple.stage.advance(.seconds(60))
    #expect(central.heard(app) == [])
    #expect(couple.peripheral.commands(couple.device).count <= ControllerInitialization.hostPacketCount)
    couple.peripheral.isConsuming = true
    couple.peripheral.with { host, now in
      host.consumed(1000, on: couple.peripheralLink, client: couple.device, now: now)
    }
    #expect(central.heard(app) == ["ready to write"])
    #expect(central.heard(other) == ["ready to write"])
    while sent < 5000 {
      if send(app) { sent += 1 }
    }
    couple.stage.advance(.seconds(1))
    let numbers = couple.peripheral.commands(couple.device).map { Int($0[0]) | Int($0[1]) << 8 }
    #expect(numbers == Array(0..<sent))
  }

  @Test("is by dropping and counting where a controller offers none, with bounds") func withoutFlowControl() throws {
    let stage = Stage()
    let (central, peripheral) = (stage.addActor(1), stage.addActor(2))
    var faults = ControllerFaults()
    faults.refusedCommands = [HCIOpcode.setControllerToHostFlowControl.rawValue: .unknownCommand]
    central.setFaults(faults)
    central.with { host, now in host.start(now: now) }
    let (app, device) = (central.addClient(), peripheral.addClient())
    let placement = try peripheral.publish(device)
    peripheral.advertise(device)
    central.connect(app, to: peripheral)
    let link = try #require(central.link(app))
    _ = central.configure(.notifying, of: placement, enabled: true, app, link)
    central.isConsuming = false
    for number in 0..<2000 {
      let isTaken = peripheral.with { host, now in
        host.updateValue([UInt8(number & 0xFF)], of: placement[.notifying], links: nil, client: device, now: now)
      }
      #expect(isTaken)
    }
    #expect(central.notifications(app).count == Link.undeliveredCapacity)
    // It is said once, and each time that their number has doubled.
    let notices = stage.simulation.dequeueNotices(of: central.node)
    #expect(notices == (0..<10).map { .valuesDropped(peripheral.address, total: 1 << $0) })
    #expect(central.with { host, _ in host.ignored.values } == 2000 - Link.undeliveredCapacity)
    central.with { host, now in host.consumed(2000, on: link, client: app, now: now) }
    _ = peripheral.with { host, now in
      host.updateValue([9], of: placement[.notifying], links: nil, client: device, now: now)
    }
    #expect(central.notifications(app).count == Link.undeliveredCapacity + 1)
  }

  @Test("is not asked of a controller where it is not wanted", arguments: [HostFlowControl.always, .never])
  func switchedOff(_ wanted: HostFlowControl) {
    let simulation = Simulation()
    let node = simulation.addHost(HostConfiguration(ownAddress: .staticRandom(1), flowControl: wanted))
    #expect(simulation.withHost(node) { host, _ in host.capabilities.usesHostFlowControl } == (wanted == .always))
  }

  @Test("counts a packet once, however many clients listen, and forgets a client with what it held")
  func sharedPackets()
    throws
  {
    let couple = try subscribed()
    let central = couple.central
    let others = (0..<3).map { _ in central.addClient() }
    for other in others {
      central.connect(other, to: couple.peripheral)
      _ = central.configure(.notifying, of: couple.placement, enabled: true, other, couple.link)
    }
    for round in 0..<200 {
      _ = notify(couple, from: round * 1000)
      // A controller to which more is given back than it gave says so.
      #expect(central.with { host, _ in host.window.unreturned } < ControllerInitialization.hostPacketCount)
    }
    #expect(central.with { host, _ in host.window.held } == 0)
    // One client consumes nothing, and is removed in either way.
    central.isConsuming = false
    _ = notify(couple, from: 0)
    central.isConsuming = true
    for client in [couple.app, others[0]] {
      central.with { host, now in host.consumed(1000, on: couple.link, client: client, now: now) }
    }
    #expect(central.with { host, _ in host.window.held } > 0)
    central.with { host, now in host.removeClient(others[1], now: now) }
    #expect(central.with { host, _ in host.window.held } > 0)
    central.disconnect(others[2], from: couple.peripheral)
    #expect(central.with { host, _ in host.window.held } == 0)
    // Later reports of the clients are ignored.
    central.with { host, now in host.consumed(1000, on: couple.link, client: others[2], now: now) }
    #expect(central.with { host, _ in host.window.held } == 0)
    central.clearLog()
    for round in 0..<20 { _ = notify(couple, from: round) }
    #expect(central.notifications(couple.app).count > 1000)
  }

  /// Clients hold a little on many links for ever; as long as it is less than the window, all links go on.
  @Test(
    "never stops all links while clients hold less than the window", arguments: 0..<Stage.count(sample: 8, soak: 300))
  func manyLinks(_ seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let stage = Stage()
    let central = stage.addActor(
      1, controller: ControllerConfiguration(buffers: seed % 2 == 0 ? .smallest : .standard))
    let app = central.addClient()
    var peers: [(actor: Actor, device: ClientID, placement: GATTServicePlacement, link: LinkID)] = []
    for number in 2..<(4 + random.next() % 8) {
      let actor = stage.addActor(number)
      let device = actor.addClient()
      let placement = try actor.publish(device)
      actor.advertise(device)
      central.connect(app, to: actor)
      stage.wait { central.with { host, _ in host.connectedPeers.contains { $0.peer == actor.address } } }
      let link = try #require(central.link(app))
      #expect(central.configure(.notifying, of: placement, enabled: true, app, link)?.isWritten == true)
      peers.append((actor, device, placement, link))
    }
    // Up to all but one of the window is held.
    central.isConsuming = false
    var left = ControllerInitialization.hostPacketCount - 1 - Int(random.next() % 3)
    while left > 0 {
      let peer = peers[Int(random.next() % UInt64(peers.count))]
      _ = peer.actor.with { host, now in
        host.updateValue([1], of: peer.placement[.notifying], links: nil, client: peer.device, now: now)
      }
      left -= 1
    }
    central.isConsuming = true
    for _ in 0..<200 {
      let peer = peers[Int(random.next() % UInt64(peers.count))]
      let value = (0..<Int(random.next() % 200)).map { UInt8($0) }
      peer.actor.values[peer.placement[.plain]] = value
      #expect(central.run(.read(peer.placement[.plain]), app, peer.link)?.value == value)
    }
  }
}

@Suite struct ClientBacklogTests {
  /// How much was freed, as text: tuples do not compare in arrays.
  private func words(_ freed: (values: Int, packets: Int)) -> String { "\(freed.values)v \(freed.packets)p" }

  @Test("No more packets are held than values") func holdsNoMorePacketsThanValues() {
    var backlog = ClientBacklog()
    let (one, two) = (ClientID(1), ClientID(2))
    backlog.add(one, isHolding: true, holdsPacket: true)
    backlog.add(two, isHolding: true, holdsPacket: false)
    let freed = [
      backlog.remove(1, of: one), backlog.remove(5, of: one), backlog.remove(-1, of: two), backlog.remove(1, of: two),
      backlog.remove(1, of: ClientID(3)),
    ].map(words)
    #expect(freed == ["1v 0p", "0v 0p", "0v 0p", "1v 1p", "0v 0p"])
    #expect(backlog.values(of: one) == 0)
    #expect(backlog.packets == 0)
  }

  @Test("A removed client holds nothing") func forgetsAClientWithWhatItHolds() {
    var backlog = ClientBacklog()
    let (one, two) = (ClientID(1), ClientID(2))
    for _ in 0..<3 { backlog.add(one, isHolding: true, holdsPacket: true) }
    backlog.add(two, isHolding: true, holdsPacket: true)
    let freed = [backlog.removeAll(of: one), backlog.removeAll(of: one), backlog.removeAll(of: two)].map(words)
    #expect(freed == ["3v 3p", "0v 0p", "1v 1p"])
  }

  @Test("Packets beyond a share are returned") func givesBackWhatIsBeyondAShare() {
    var backlog = ClientBacklog()
    let one = ClientID(1)
    for _ in 0..<4 { backlog.add(one, isHolding: true, holdsPacket: true) }
    backlog.add(one, isHolding: false, holdsPacket: false)
    let trimmed = [backlog.trim(3, of: one), backlog.trim(0, of: one), backlog.trim(9, of: ClientID(2))].map(words)
    #expect(trimmed == ["3v 3p", "0v 0p", "0v 0p"])
    #expect(backlog.values(of: one) == 5)
    // Those that hold nothing are dealt with first.
    let freed = [backlog.remove(4, of: one), backlog.remove(4, of: one)].map(words)
    #expect(freed == ["0v 0p", "1v 1p"])
    #expect(backlog.values(of: one) == 0)
  }
}

@Suite struct ReceiveWindowTests {
  @Test("Each client has a share of the window") func eachPartyHasAShare() {
    var window = ReceiveWindow()
    let one = ClientID(1)
    #expect(window.share == ReceiveWindow.size)
    window.addValues(ReceiveWindow.size, of: one)
    #expect(!window.mayHold(one))
    #expect(window.mayHold(ClientID(2)))
    #expect(window.excess(one) == 0)
    window.setParties(4)
    #expect(window.excess(one) == ReceiveWindow.size * 3 / 4)
    window.setParties(0)
    #expect(window.excess(one) == 0)
    window.setParties(1000)
    #expect(!window.mayHold(ClientID(2)))
  }

  @Test("Peers get more time while no answer can arrive") func peersAreExcusedWhileNothingCanCome() {
    var window = ReceiveWindow()
    #expect(window.excuse(for: .seconds(30), now: .seconds(1)) == nil)
    window.addHeld(ReceiveWindow.size, now: .seconds(5))
    #expect(window.excuse(for: .seconds(30), now: .seconds(50)) == .seconds(80))
    window.addHeld(-1, now: .seconds(60))
    #expect(window.excuse(for: .seconds(30), now: .seconds(70)) == .seconds(90))
    #expect(window.excuse(for: .seconds(30), now: .seconds(90)) == nil)
  }
}
