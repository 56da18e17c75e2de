import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

/// One client's actions, or their absence, do not affect other clients.
@Suite("Several parties") struct HostFairnessTests {
  /// A central with two applications and two peripherals, each application connected to its own.
  private struct Household {
    let stage = Stage()
    let central: Actor
    let apps: [ClientID]
    var devices: [(actor: Actor, client: ClientID, placement: GATTServicePlacement, link: LinkID)] = []

    init(applications: Int = 2) throws {
      central = stage.addActor(1)
      let central = central
      apps = (0..<applications).map { _ in central.addClient() }
      for number in 0..<2 {
        let actor = stage.addActor(UInt64(number + 2))
        let client = actor.addClient()
        let placement = try actor.publish(client)
        actor.advertise(client)
        let app = apps[number % apps.count]
        central.connect(app, to: actor)
        stage.wait { central.with { host, _ in host.connectedPeers.contains { $0.peer == actor.address } } }
        devices.append((actor, client, placement, try #require(central.link(app))))
      }
    }

    /// Has a device notify as much as it can for a while.
    func flood(_ index: Int, seconds: Int = 5) {
      let device = devices[index]
      for round in 0..<(20 * seconds) {
        device.actor.with { host, now in
          for number in 0..<20 {
            _ = host.updateValue(
              [UInt8(round & 0xFF), UInt8(number)], of: device.placement[.notifying], links: nil,
              client: device.client, now: now)
          }
        }
        stage.advance(.milliseconds(50))
      }
    }

    func subscribe(_ index: Int, _ app: ClientID) -> Bool {
      let device = devices[index]
      return central.configure(.notifying, of: device.placement, enabled: true, app, device.link)?.isWritten == true
    }
  }

  @Test("a manager whose queue is busy holds up no other manager's link") func busyManager() throws {
    let house = try Household()
    #expect(house.subscribe(0, house.apps[0]))
    house.central.isConsuming = false
    house.flood(0)
    let other = house.devices[1]
    other.actor.values[other.placement[.plain]] = [7]
    #expect(house.central.run(.read(other.placement[.plain]), house.apps[1], other.link)?.value == [7])
    house.flood(0, seconds: 10)
    house.stage.advance(.seconds(60))
    #expect(house.central.run(.read(other.placement[.plain]), house.apps[1], other.link)?.value == [7])
    #expect(house.central.with { host, _ in host.connectedPeers.count } == 2)
    // The busy one has as much waiting as it may, and no more.
    let given = house.central.notifications(house.apps[0]).count
    #expect(given == Link.undeliveredCapacity)
    #expect(house.central.with { host, _ in host.window.held } <= ReceiveWindow.size / 2)
  }

  @Test("a manager whose queue is busy holds up no other manager of the same link") func busyOnTheSameLink() throws {
    let house = try Household()
    let device = house.devices[0]
    house.central.connect(house.apps[1], to: device.actor)
    #expect(house.subscribe(0, house.apps[0]))
    house.central.isConsuming = false
    house.flood(0, seconds: 10)
    house.stage.advance(.seconds(40))
    device.actor.values[device.placement[.plain]] = [8]
    #expect(house.central.run(.read(device.placement[.plain]), house.apps[1], device.link)?.value == [8])
  }

  @Test("a manager that comes later has its share, though another held all of the window") func latecomer() throws {
    let house = try Household(applications: 1)
    let app = house.apps[0]
    #expect(house.subscribe(0, app))
    house.central.isConsuming = false
    house.flood(0)
    #expect(house.central.with { host, _ in host.window.held } == ReceiveWindow.size)
    let late = house.central.addClient()
    let device = house.devices[1]
    house.central.connect(late, to: device.actor)
    device.actor.values[device.placement[.plain]] = [9]
    #expect(house.central.run(.read(device.placement[.plain]), late, device.link)?.value == [9])
    // The first one's packets are still its own, in order and without a gap.
    house.central.isConsuming = true
    house.central.with { host, now in host.consumed(10_000, on: house.devices[0].link, client: app, now: now) }
    #expect(house.central.with { host, _ in host.window.held } == 0)
    house.stage.advance(.seconds(1))
    #expect(house.central.with { host, _ in host.ignored.values } == 0)
  }

  @Test("a manager that is busy for minutes loses no link by it") func busyForLong() throws {
    let house = try Household(applications: 1)
    let (app, other) = (house.apps[0], house.devices[1])
    #expect(house.subscribe(0, app))
    house.central.isConsuming = false
    house.flood(0)
    other.actor.values[other.placement[.plain]] = [5]
    let read = house.central.submit(.read(other.placement[.plain]), app, other.link)
    house.stage.advance(.seconds(300))
    #expect(house.central.with { host, _ in host.connectedPeers.count } == 2)
    house.central.isConsuming = true
    house.central.with { host, now in host.consumed(10_000, on: house.devices[0].link, client: app, now: now) }
    house.stage.advance(.seconds(1))
    let outcomes = house.stage.simulation.dequeueOutcomes(of: house.central.node)
    #expect(outcomes.first { $0.request == read }?.outcome.value == [5])
  }

  // MARK: A peripheral's subscribers

  /// A lamp and two subscribers, of which one is slow.
  struct Audience {
    let stage = Stage()
    let lamp: Actor
    let device: ClientID
    let placement: GATTServicePlacement
    let slow: Actor
    let slowApp: ClientID
    let slowLink: LinkID

    /// The quick one subscribes to `quickly` alone.
    init(
      lamp lampController: ControllerConfiguration = ControllerConfiguration(),
      slow slowController: ControllerConfiguration = ControllerConfiguration(),
      quickly: [Actor.Value] = [.notifying, .indicating]
    ) throws {
      lamp = stage.addActor(1, controller: lampController)
      device = lamp.addClient()
      placement = try lamp.publish(device)
      lamp.advertise(device)
      let quick = stage.addActor(2)
      slow = stage.addActor(3, controller: slowController)
      slowApp = slow.addClient()
      let audience = [(quick, quick.addClient(), quickly), (slow, slowApp, [.notifying, .indicating])]
      for (actor, app, values) in audience {
        actor.connect(app, to: lamp)
        stage.wait { actor.link(app) != nil }
        let link = try #require(actor.link(app))
        for value in values {
          #expect(actor.configure(value, of: placement, enabled: true, app, link)?.isWritten == true)
        }
      }
      slowLink = try #require(slow.link(slowApp))
    }

    /// Whether the lamp received the last value.
    @discardableResult
    func send(_ value: Actor.Value, _ count: Int, every pause: Duration = .milliseconds(3)) -> Bool {
      var isTaken = true
      for number in 0..<count {
        isTaken = lamp.with { host, now in
          host.updateValue([UInt8(number & 0xFF)], of: placement[value], links: nil, client: device, now: now)
        }
        stage.advance(pause)
      }
      return isTaken
    }

    /// The lamp's end of the slow link.
    func laggingLink() throws -> Link {
      let link = try #require(lamp.with { host, _ in host.links.first { !$0.laggingUpdates.isEmpty } })
      #expect(link.peer == slow.address)
      return link
    }

    /// From now on the slow one sends nothing: its one buffer is in use.
    func silence() {
      var faults = ControllerFaults()
      faults.credits = .withheld
      slow.setFaults(faults)
      slow.submit(.read(placement[.plain]), slowApp, slowLink)
    }

    /// The slow one reads all that waited, and waits no more.
    func hurry() {
      slow.isConsuming = true
      slow.with { host, now in host.consumed(10_000, on: slowLink, client: slowApp, now: now) }
    }
  }

  private enum Misbehavior: CaseIterable {
    /// Indications are never confirmed.
    case confirmsNothing
    /// The link layer accepts nothing more, though the link stays.
    case takesNothing
  }

  @Test("a subscriber that accepts nothing does not affect the others", arguments: Misbehavior.allCases)
  private func hostileSubscriber(_ how: Misbehavior) throws {
    let stage = Stage()
    let lamp = stage.addActor(1)
    let device = lamp.addClient()
    let placement = try lamp.publish(device)
    lamp.advertise(device)
    let (honest, hostile) = (
      stage.addActor(2), stage.addActor(3, controller: ControllerConfiguration(buffers: .smallest))
    )
    let (app, villain) = (honest.addClient(), hostile.addClient())
    for (actor, client) in [(honest, app), (hostile, villain)] {
      actor.connect(client, to: lamp)
      stage.wait { actor.link(client) != nil }
    }
    let (link, other) = (try #require(honest.link(app)), try #require(hostile.link(villain)))
    // One characteristic that may be had either way.
    let both = GATTServiceDefinition(
      uuid: 0xABC0,
      characteristics: [
        GATTCharacteristicDefinition(uuid: 0xABC1, properties: [.notify, .indicate], permissions: [.readable])
      ])
    let handle = try lamp.with { host, now in
      try host.addService(both, client: device, now: now).valueHandles[0]
    }
    _ = placement
    let asked: [UInt8] = how == .confirmsNothing ? [2, 0] : [1, 0]
    #expect(honest.run(.write(handle + 1, [1, 0]), app, link)?.isWritten == true)
    let record = GATTCharacteristicRecord(
      uuid: 0xABC1, declaration: handle - 1, valueHandle: handle, end: handle + 1, properties: .notify)
    #expect(honest.run(.configureNotifications(record, enabled: true), app, link)?.isWritten == true)
    #expect(hostile.run(.write(handle + 1, asked), villain, other)?.isWritten == true)
    if how == .confirmsNothing {
      var faults = ControllerFaults()
      faults.credits = .withheld
      hostile.setFaults(faults)
    } else {
      // Its window fills up and is never emptied.
      let listen = GATTCharacteristicRecord(
        uuid: 0xABC1, declaration: handle - 1, valueHandle: handle, end: handle + 1, properties: .notify)
      #expect(hostile.run(.configureNotifications(listen, enabled: true), villain, other)?.isWritten == true)
      hostile.isConsuming = false
    }
    for number in 0..<1000 {
      let isTaken = lamp.with { host, now in
        host.updateValue(
          [UInt8(number & 0xFF), UInt8(number >> 8)], of: handle, links: nil, client: device, now: now)
      }
      #expect(isTaken, "\(number)")
      stage.advance(.milliseconds(3))
    }
    let heard = honest.notifications(app).map { Int($0[0]) | Int($0[1]) << 8 }
    #expect(heard == Array(0..<1000))
    // A slow peer has so many values waiting and no more, and that is reported.
    #expect(lamp.with { host, _ in host.links.allSatisfy { $0.laggingUpdates.count <= Link.updateLag } })
    #expect(lamp.with { host, _ in host.ignored.updates } > 500)
    #expect(stage.simulation.dequeueNotices(of: lamp.node).first == .updatesDropped(hostile.address, total: 1))
    stage.advance(.seconds(40))
    // A peer that does not confirm loses its link in time.
    #expect(lamp.count(device, "disconnected 3 16") == (how == .confirmsNothing ? 1 : 0))
    #expect(lamp.count(device, "disconnected 2 16") == 0)
  }

  @Test("Values that wait for a slow peer go with their service") func valuesOfAServiceThatIsGone()
    throws
  {
    let audience = try Audience()
    let (lamp, placement) = (audience.lamp, audience.placement)
    audience.slow.isConsuming = false
    audience.send(.notifying, 250)
    // One is out, as far as the protocol goes, and two wait for its end.
    audience.send(.indicating, 3)
    let link = try audience.laggingLink()
    #expect(link.server.indications.outstanding == placement[.indicating])
    #expect(link.server.indications.waiting.count == 2)
    lamp.with { host, now in host.removeService(at: placement.range, client: audience.device, now: now) }
    #expect(link.laggingUpdates.isEmpty)
    #expect(link.server.indications.waiting.isEmpty)
    // The next value of another one waits for no confirmation of these.
    #expect(link.server.indications.outstanding == nil)
    audience.hurry()
    audience.stage.advance(.seconds(60))
    #expect(lamp.with { host, _ in host.connectedPeers.count } == 2)
  }

  @Test("an indication that waited among values has its 30 s once it goes, whatever else goes") func laggingIndication()
    throws
  {
    let audience = try Audience(slow: ControllerConfiguration(buffers: .smallest))
    let (lamp, device) = (audience.lamp, audience.device)
    audience.slow.isConsuming = false
    audience.send(.notifying, 250)
    audience.send(.indicating, 1)
    let link = try audience.laggingLink()
    #expect(link.indicationEnd == .max)
    audience.silence()
    audience.hurry()
    audience.send(.notifying, 290, every: .milliseconds(100))
    #expect(link.laggingUpdates.isEmpty)
    #expect(link.server.indications.outstanding == audience.placement[.indicating])
    #expect(lamp.count(device, "disconnected 3 16") == 0)
    audience.send(.notifying, 20, every: .milliseconds(100))
    #expect(lamp.count(device, "disconnected 3 16") == 1)
    #expect(lamp.count(device, "disconnected 2 16") == 0)
  }

  @Test("an indication that waited has its 30 s from when it goes at once, all before it having gone in one go")
  func laggingIndicationAtOnce() throws {
    let audience = try Audience(slow: ControllerConfiguration(buffers: .smallest), quickly: [.indicating])
    let (lamp, device, stage) = (audience.lamp, audience.device, audience.stage)
    // The lamp's controller says of no packet that it has gone, until it says it of all: more than may wait on a link.
    var faults = ControllerFaults()
    faults.credits = .withheld
    lamp.setFaults(faults)
    while audience.send(.notifying, 1) {}
    audience.silence()
    #expect(audience.send(.indicating, 1))
    let link = try audience.laggingLink()
    #expect(link.indicationEnd == .max)
    stage.advance(.seconds(20))
    #expect(link.server.indications.outstanding == audience.placement[.indicating])
    let node = lamp.node
    stage.simulation.withRadio { radio, now in radio.releaseCredits(of: node, now: now) }
    stage.advance(.milliseconds(1))
    #expect(link.laggingUpdates.isEmpty)
    #expect(lamp.with { host, _ in host.acl.queuedFrames(link.handle) } == 0)
    #expect(link.indicationEnd == nil)
    stage.advance(.seconds(29))
    #expect(lamp.count(device, "disconnected 3 16") == 0)
    stage.advance(.seconds(2))
    #expect(lamp.count(device, "disconnected 3 16") == 1)
    #expect(lamp.count(device, "disconnected 2 16") == 0)
  }

  @Test("all subscribers that are equally fast have each value, and the app must wait when all are full")
  func honestSubscribers() throws {
    let stage = Stage(RadioConfiguration(timing: AirTiming(latency: .milliseconds(2))))
    let lamp = stage.addActor(1)
    let device = lamp.addClient()
    let placement = try lamp.publish(device)
    lamp.advertise(device)
    var centrals: [(actor: Actor, app: ClientID)] = []
    for number in UInt64(2)..<6 {
      let actor = stage.addActor(number)
      let app = actor.addClient()
      actor.connect(app, to: lamp)
      stage.wait { actor.link(app) != nil }
      let link = try #require(actor.link(app))
      #expect(actor.configure(.notifying, of: placement, enabled: true, app, link)?.isWritten == true)
      centrals.append((actor, app))
    }
    var (sent, refusals) = (0, 0)
    while sent < 3000, refusals < 3000 {
      lamp.clearLog()
      let isTaken = lamp.with { host, now in
        host.updateValue(
          [UInt8(sent & 0xFF), UInt8(sent >> 8)], of: placement[.notifying], links: nil, client: device, now: now)
      }
      if isTaken {
        sent += 1
      } else {
        refusals += 1
        stage.wait { lamp.count(device, "ready to update") == 1 }
      }
    }
    stage.advance(.seconds(5))
    #expect(refusals > 10)
    for (actor, app) in centrals {
      #expect(actor.notifications(app).map { Int($0[0]) | Int($0[1]) << 8 } == Array(0..<3000))
    }
  }

  // MARK: Slow links

  /// ATT_MTU 23, one buffer, and so long for each packet.
  private func slowCouple(_ delay: Duration = .milliseconds(1200)) throws -> Couple {
    let couple = try Couple(mtu: 23, controller: ControllerConfiguration(buffers: .smallest))
    var faults = ControllerFaults()
    faults.credits = .late(delay)
    couple.central.setFaults(faults)
    couple.peripheral.setFaults(faults)
    return couple
  }

  /// Gives Write Commands until one is refused.
  private func fill(_ couple: Couple) -> Int {
    couple.central.with { host, now in
      var count = 0
      while host.writeCommand([1], to: couple.placement[.command], client: couple.app, link: couple.link, now: now) {
        count += 1
      }
      return count
    }
  }

  @Test("a request behind many commands on a slow link has its 30 s once it has left") func requestBehindCommands()
    throws
  {
    // Sixteen commands take more than the request's 30 s.
    let couple = try slowCouple(.milliseconds(2500))
    couple.peripheral.values[couple.placement[.plain]] = [3]
    let first = fill(couple)
    #expect(first >= LinkPace.initial)
    let read = couple.central.submit(.read(couple.placement[.plain]), couple.app, couple.link)
    couple.stage.advance(.seconds(120))
    #expect(
      couple.stage.simulation.dequeueOutcome(read, of: couple.central.node)?.value == [3],
      "\(couple.central.heard(couple.app))")
    // The link showed how little it carries: the queue is short from now on.
    _ = fill(couple)
    couple.stage.advance(.seconds(3))
    couple.stage.advance(.seconds(30))
    #expect(fill(couple) <= LinkPace.least + 1)
    #expect(couple.central.with { host, _ in host.connectedPeers.count } == 1)
  }

  @Test("an indication behind many values on a slow link has its 30 s once it has left") func indicationBehindValues()
    throws
  {
    let couple = try slowCouple(.milliseconds(2500))
    for value in [Actor.Value.indicating, .notifying] {
      #expect(
        couple.central.configure(value, of: couple.placement, enabled: true, couple.app, couple.link)?.isWritten == true
      )
    }
    couple.stage.advance(.seconds(10))
    couple.peripheral.with { host, now in
      // The first goes at once; the second follows its confirmation, behind all that was to go before.
      for number: UInt8 in 1...2 {
        _ = host.updateValue(
          [0xA0, number], of: couple.placement[.indicating], links: nil, client: couple.device, now: now)
      }
      while host.updateValue([0xB0], of: couple.placement[.notifying], links: nil, client: couple.device, now: now) {}
    }
    couple.stage.advance(.seconds(120))
    #expect(couple.central.notifications(couple.app).filter { $0[0] == 0xA0 } == [[0xA0, 1], [0xA0, 2]])
    #expect(couple.peripheral.with { host, _ in host.connectedPeers.count } == 1)
  }

  @Test("a request that never leaves ends after 30 s in which the link carried nothing") func nothingLeaves() throws {
    let couple = try slowCouple()
    var faults = ControllerFaults()
    faults.credits = .withheld
    couple.central.setFaults(faults)
    _ = fill(couple)
    let read = couple.central.submit(.read(couple.placement[.plain]), couple.app, couple.link)
    couple.stage.advance(.seconds(29))
    #expect(couple.stage.simulation.dequeueOutcome(read, of: couple.central.node) == nil)
    couple.stage.advance(.seconds(2))
    #expect(couple.stage.simulation.dequeueOutcome(read, of: couple.central.node)?.failure == .timedOut)
  }

  @Test("a peer's request behind many values on a slow link is answered in its time") func answerBehindValues() throws {
    let couple = try slowCouple()
    #expect(
      couple.central.configure(.notifying, of: couple.placement, enabled: true, couple.app, couple.link)?.isWritten
        == true)
    for _ in 0..<5 {
      couple.peripheral.with { host, now in
        while host.updateValue(
          [1], of: couple.placement[.notifying], links: nil, client: couple.device, now: now)
        {}
      }
      #expect(couple.central.run(.read(couple.placement[.plain]), couple.app, couple.link)?.value == [])
    }
  }
}
