import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// A peripheral with two applications, many centrals, one that means harm, controllers that fail, and chance, for an hour
/// of virtual time.
@Suite("A busy hour") struct HostBusyHourTests {
  private final class Town {
    let stage: Stage
    let hub: Actor
    let owners: [ClientID]
    var placements: [GATTServicePlacement] = []
    let phones: [Actor]
    let apps: [ClientID]
    var random: SplitMix
    /// How many values the hub's applications gave out; each value is its number.
    var values: UInt32 = 0
    var villain: ControllerID?

    init(phones count: Int, seed: UInt64) throws {
      random = SplitMix(seed: seed)
      stage = Stage(RadioConfiguration(seed: seed, timing: AirTiming(latency: .milliseconds(5))))
      hub = stage.addActor(1, controller: ControllerConfiguration(maximumLinks: count + 8))
      let hub = hub
      owners = [hub.addClient(), hub.addClient()]
      var phones: [Actor] = []
      for number in 0..<count {
        let buffers: ACLBuffers = number % 5 == 0 ? .smallest : .standard
        let mtu = number % 3 == 0 ? 23 : 517
        phones.append(
          stage.addActor(UInt64(number + 2), mtu: mtu, controller: ControllerConfiguration(buffers: buffers)))
      }
      self.phones = phones
      apps = phones.map { $0.addClient() }
      for (index, owner) in owners.enumerated() {
        placements.append(try hub.publish(owner, uuid: BluetoothUUID(UInt16(0xFFF0 - 0x10 * index))))
      }
      advertise()
    }

    func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    func advertise() { for owner in owners where !isAdvertising(owner) { hub.advertise(owner, name: nil) } }

    private func isAdvertising(_ client: ClientID) -> Bool { hub.with { host, _ in host.isAdvertising(client) } }

    /// A phone's link, if it is up.
    func link(_ phone: Int) -> LinkID? {
      phones[phone].with { [hub] host, _ in host.connectedPeers.first { $0.peer == hub.address }?.link }
    }

    // MARK: What happens

    func happen() {
      let phone = pick(phones.count)
      let (actor, app, placement) = (phones[phone], apps[phone], placements[pick(2)])
      switch pick(16) {
      case 0, 1, 2: actor.connect(app, to: hub)
      case 3: actor.disconnect(app, from: hub)
      case 4, 5: if let link = link(phone) { actor.submit(.read(placement[.plain]), app, link) }
      case 6: if let link = link(phone) { actor.submit(.write(placement[.plain], bytes(pick(300))), app, link) }
      case 7:
        if let link = link(phone) {
          let kind: Actor.Value = pick(4) == 0 ? .indicating : .notifying
          actor.submit(.configureNotifications(placement.record(kind), enabled: pick(4) != 0), app, link)
        }
      case 8, 9:
        for _ in 0..<pick(60) { update(placement, pick(4) == 0 ? .indicating : .notifying) }
      case 10: actor.isConsuming.toggle()
      case 11: if let link = link(phone) { command(actor, app, link, placement) }
      case 12: hub.isAnswering.toggle()
      case 13: hub.isConsuming.toggle()
      case 14: harm()
      default: fail(phone)
      }
      if hub.isAnswering { answer() }
      if hub.isConsuming { consume(hub, owners) }
      if actor.isConsuming { consume(actor, [app]) }
    }

    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }

    private func update(_ placement: GATTServicePlacement, _ kind: Actor.Value) {
      values += 1
      var writer = ByteWriter()
      for shift in [0, 8, 16, 24] as [UInt32] { writer.uint8(UInt8(truncatingIfNeeded: values >> shift)) }
      let owner = placement.range == placements[0].range ? owners[0] : owners[1]
      hub.with { host, now in
        _ = host.updateValue(writer.bytes, of: placement[kind], links: nil, client: owner, now: now)
      }
    }

    private func command(_ actor: Actor, _ app: ClientID, _ link: LinkID, _ placement: GATTServicePlacement) {
      let count = pick(40)
      actor.with { host, now in
        for _ in 0..<count {
          _ = host.writeCommand([1, 2, 3], to: placement[.command], client: app, link: link, now: now)
        }
      }
    }

    /// A central without a host of ours connects, and says what it likes.
    private func harm() {
      if let villain, pick(3) == 0 {
        stage.simulation.withRadio { radio, now in radio.removeController(villain, now: now) }
        self.villain = nil
      }
      let packets = (0..<20).map { _ -> [UInt8] in
        let pdu = bytes(1 + pick(30))
        let channel: UInt8 = [4, 4, 4, 5, 6][pick(5)]
        let count = UInt8(pdu.count)
        let header: [UInt8] = [0x02, UInt8(1 + pick(2)), 0x00, count + 4, 0, count, 0, channel, 0]
        return header + pdu
      }
      villain = stage.simulation.withRadio { [hub, villain] radio, now in
        let id = villain ?? radio.addController()
        if villain == nil {
          radio.receive([0x01, 0x05, 0x20, 0x06, 7, 7, 7, 0, 0, 0xC0], from: id, now: now)
          var writer = ByteWriter()
          hub.address.encode(into: &writer)
          let before: [UInt8] = [0x01, 0x0D, 0x20, 25, 0x60, 0, 0x60, 0, 0, 1]
          let after: [UInt8] = [1, 24, 0, 40, 0, 0, 0, 200, 0, 0, 0, 0, 0]
          radio.receive(before + writer.bytes + after, from: id, now: now)
        }
        for packet in packets { radio.receive(packet, from: id, now: now) }
        return id
      }
    }

    private func fail(_ phone: Int) {
      let actor = phones[phone]
      switch pick(8) {
      case 0:
        stage.simulation.withRadio { [hub] radio, now in radio.raiseHardwareError(on: hub.node, now: now) }
        advertise()
      case 1, 2: stage.simulation.withRadio { radio, now in radio.raiseHardwareError(on: actor.node, now: now) }
      case 3:
        stage.simulation.setPowered(false, actor.node)
        stage.advance(.milliseconds(pick(4000)))
        stage.simulation.setPowered(true, actor.node)
      case 4: stage.simulation.withRadio { radio, now in radio.dropLinks(of: actor.node, now: now) }
      case 5, 6:
        var faults = ControllerFaults()
        faults.credits = pick(2) == 0 ? .late(.milliseconds(pick(800))) : .withheld
        faults.commandCreditDelay = pick(3) == 0 ? .milliseconds(pick(300)) : nil
        faults.lostConnectionRequests = pick(2)
        actor.setFaults(faults)
      default: actor.setFaults(ControllerFaults())
      }
    }

    private func answer() {
      let waiting = hub.dequeueRequests()
      hub.with { host, now in
        for (index, request) in waiting.enumerated() {
          host.respond(to: request, with: index % 2 == 0 ? .value([1]) : .error(.unlikelyError), now: now)
        }
      }
    }

    private func consume(_ actor: Actor, _ clients: [ClientID]) {
      actor.with { host, now in
        for link in host.connectedPeers.map(\.link) {
          for client in clients { host.consumed(10_000, on: link, client: client, now: now) }
        }
      }
    }

    /// Everybody behaves again.
    func calm() {
      for actor in phones + [hub] {
        actor.setFaults(ControllerFaults())
        actor.isConsuming = true
        actor.isAnswering = true
      }
      if let villain {
        stage.simulation.withRadio { radio, now in radio.removeController(villain, now: now) }
      }
      answer()
      consume(hub, owners)
      for (actor, app) in zip(phones, apps) { consume(actor, [app]) }
      stage.advance(.seconds(120))
      advertise()
      answer()
      for (phone, actor) in phones.enumerated() { actor.connect(apps[phone], to: hub) }
      stage.advance(.seconds(30))
    }
  }

  private static let isShort = Stage.count(sample: 0, soak: 1) == 0

  @Test(
    "leaves nothing undone, does nothing twice and omits no client", arguments: 0..<Stage.count(sample: 2, soak: 10))
  func hour(_ seed: Int) throws {
    let town = try Town(phones: Self.isShort ? 20 : 100, seed: UInt64(seed) + 1)
    for phone in town.phones.indices { town.phones[phone].connect(town.apps[phone], to: town.hub) }
    let end = town.stage.simulation.now + .seconds(Self.isShort ? 300 : 3600)
    while town.stage.simulation.now < end {
      for _ in 0..<town.pick(8) { town.happen() }
      town.stage.advance(.milliseconds(50 + town.pick(1500)))
      #expect(town.hub.with { host, _ in host.links.count <= town.phones.count + 8 })
      #expect(town.hub.with { host, _ in 0...ReceiveWindow.size ~= host.window.held && host.window.unreturned >= 0 })
    }
    town.calm()
    for (phone, actor) in town.phones.enumerated() {
      // Each that is in earnest is connected, and served.
      let link = try #require(town.link(phone), "\(phone): \(actor.heard(town.apps[phone]).suffix(5))")
      #expect(actor.run(.read(town.placements[0][.plain]), town.apps[phone], link)?.failure == nil)
      // Each request ended, once.
      let ended = town.stage.simulation.dequeueOutcomes(of: actor.node).map(\.request)
      #expect(Set(ended).count == ended.count)
      #expect(Set(ended) == Set(actor.submitted))
      // No value came twice or before an earlier one.
      for kind in [Actor.Value.notifying, .indicating] {
        for placement in town.placements {
          let numbers = actor.numbers(town.apps[phone], placement[kind])
          #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        }
      }
    }
    #expect(town.hub.with { host, _ in host.window.held } == 0)
  }
}

extension Actor {
  /// The values of a characteristic that came by themselves, as numbers.
  fileprivate func numbers(_ client: ClientID, _ handle: AttributeHandle) -> [UInt32] {
    log.compactMap { entry -> UInt32? in
      guard entry.client == client, case .notification(_, handle, let value) = entry.event, value.count == 4 else {
        return nil
      }
      return value.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
}
