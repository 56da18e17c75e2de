import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A link that is lost") struct HostLinkLossTests {
  /// The loads under which links are lost: buffers and ATT_MTU.
  static let conditions: [(buffers: ACLBuffers, mtu: Int)] = [
    (.standard, 517), (.smallest, 23), (.smallest, 517),
  ]

  /// All kinds of procedures at once, both ways, on a link that is lost when one of the controllers passes its N-th
  /// packet; N grows until the sequence ends without a loss.
  @Test("ends each procedure once, at every step", arguments: 0..<3, [true, false])
  func everyStep(_ condition: Int, _ isCentrals: Bool) throws {
    let stride = Stage.count(sample: condition == 0 ? 1 : 7, soak: 1)
    var step = 0
    while try lose(Self.conditions[condition], step, isCentrals, isImmediate: step % 2 == 0), step < 2000 {
      step += stride
    }
    #expect((20..<2000).contains(step))
  }

  /// - Returns: whether the link was lost.
  private func lose(
    _ condition: (buffers: ACLBuffers, mtu: Int), _ step: Int, _ isCentrals: Bool, isImmediate: Bool
  ) throws -> Bool {
    let couple = try Couple(mtu: condition.mtu, controller: ControllerConfiguration(buffers: condition.buffers))
    let (central, peripheral, placement) = (couple.central, couple.peripheral, couple.placement)
    peripheral.values[placement[.plain]] = [UInt8](repeating: 7, count: 100)
    var faults = ControllerFaults()
    faults.linkLoss = ControllerFaults.LinkLoss(
      afterPackets: step, reason: .linkLayerResponseTimeout, isImmediate: isImmediate)
    (isCentrals ? central : peripheral).setFaults(faults)
    let procedures: [GATTProcedure] = [
      .discoverServices(nil), .discoverCharacteristics(placement.range), .read(placement[.plain]),
      .configureNotifications(placement.record(.notifying), enabled: true),
      .configureNotifications(placement.record(.indicating), enabled: true),
      .write(placement[.plain], [UInt8](repeating: 9, count: 300)), .discoverDescriptors(placement.range),
      .readByUUID(0xFFF1, .all), .discoverIncludedServices(placement.range), .read(placement[.plain]),
      .configureNotifications(placement.record(.indicating), enabled: false),
    ]
    for procedure in procedures { central.submit(procedure, couple.app, couple.link) }
    central.with { host, now in
      for byte in 0..<8 as Range<UInt8> {
        _ = host.writeCommand([byte], to: placement[.command], client: couple.app, link: couple.link, now: now)
      }
    }
    peripheral.with { host, now in
      for byte in 0..<8 as Range<UInt8> {
        for value in [Actor.Value.notifying, .indicating] {
          _ = host.updateValue([byte], of: placement[value], links: nil, client: couple.device, now: now)
        }
      }
    }
    couple.stage.advance(.seconds(5))
    let isLost = central.heard(couple.app).last == "disconnected 2 22"
    let outcomes = central.simulation.dequeueOutcomes(of: central.node)
    #expect(outcomes.map(\.request) == central.submitted, "at step \(step)")
    let fates = outcomes.map { $0.outcome.failure }
    let firstFailure = fates.firstIndex { $0 != nil } ?? fates.count
    #expect(fates[firstFailure...].allSatisfy { $0 == .disconnected }, "at step \(step): \(fates)")
    guard isLost else {
      #expect(firstFailure == fates.count)
      return false
    }
    // Both know, once, and after all else; subscriptions ended with the link.
    #expect(central.heard(couple.app).filter { $0.hasPrefix("disconnected") } == ["disconnected 2 22"])
    #expect(peripheral.heard(couple.device).filter { $0.hasPrefix("disconnected") } == ["disconnected 1 22"])
    let requests = peripheral.heard(couple.device).filter { $0.contains(" wants ") }
    #expect(requests.filter { $0.hasSuffix("none") }.count * 2 == requests.count)
    // The next attempt works.
    central.connect(couple.app, to: peripheral)
    couple.stage.wait { central.heard(couple.app).last == "connected 2 as central" }
    let link = try #require(central.link(couple.app))
    #expect(link != couple.link)
    #expect(central.run(.write(placement[.plain], [1, 2, 3]), couple.app, link)?.isWritten == true)
    #expect(central.run(.read(placement[.plain]), couple.app, link)?.value == [1, 2, 3])
    return true
  }

  @Test("is a new link when its handle is given again: nothing late reaches it", arguments: 0..<12)
  func reusedHandles(_ step: Int) throws {
    var faults = ControllerFaults()
    faults.reusesHandles = true
    let couple = try Couple(faults: faults)
    let (central, peripheral) = (couple.central, couple.peripheral)
    // A slow controller: commands of the old link wait for their turn while the handle is given to a new one.
    faults.commandCreditDelay = .milliseconds(100)
    central.setFaults(faults)
    peripheral.isAnswering = false
    central.submit(.read(couple.placement[.plain]), couple.app, couple.link)
    central.with { host, now in
      for _ in 0..<step / 4 { host.readRSSI(couple.app, link: couple.link, now: now) }
      if step % 2 == 0 { host.disconnect(couple.app, from: peripheral.address, now: now) }
    }
    let node = central.node
    couple.stage.simulation.withRadio { radio, now in radio.dropLinks(of: node, now: now) }
    central.clearLog()
    central.connect(couple.app, to: peripheral)
    couple.stage.advance(.seconds(20))
    peripheral.isAnswering = true
    #expect(central.heard(couple.app) == ["connected 2 as central"])
    let link = try #require(central.link(couple.app))
    // The late answer is to the old link's request.
    peripheral.with { host, now in
      for request in peripheral.requests { host.respond(to: request, with: .value([9]), now: now) }
    }
    #expect(central.run(.read(couple.placement[.plain]), couple.app, link)?.value == [])
    let outcomes = central.simulation.dequeueOutcomes(of: node)
    #expect(outcomes.map(\.request) == central.submitted)
    #expect(outcomes.allSatisfy { $0.outcome.failure == .disconnected })
  }

  @Test("does not hide data that came before its event", arguments: [true, false])
  func dataBeforeEvent(_ reuses: Bool) throws {
    var faults = ControllerFaults()
    faults.sendsDataBeforeConnectionEvent = true
    faults.reusesHandles = reuses
    for _ in 0..<3 {
      let couple = try Couple(faults: faults)
      #expect(couple.central.run(.read(couple.placement[.plain]), couple.app, couple.link)?.value == [])
      #expect(couple.central.with { host, _ in host.mtu(of: couple.link) } == 517)
      #expect(couple.peripheral.with { host, _ in host.mtu(of: couple.peripheralLink) } == 517)
    }
  }

  @Test("ends after 30 s without an answer, and all that waits with it") func timeout() throws {
    let couple = try Couple()
    couple.peripheral.isAnswering = false
    let (central, app, link) = (couple.central, couple.app, couple.link)
    for _ in 0..<3 { central.submit(.read(couple.placement[.plain]), app, link) }
    couple.stage.advance(.seconds(29))
    #expect(central.simulation.dequeueOutcomes(of: central.node).isEmpty)
    couple.stage.advance(.seconds(2))
    let outcomes = central.simulation.dequeueOutcomes(of: central.node)
    #expect(outcomes.map(\.request) == central.submitted)
    #expect(outcomes.allSatisfy { $0.outcome.failure == .timedOut })
    #expect(central.heard(app).last == "disconnected 2 16")
    #expect(couple.peripheral.heard(couple.device).last == "disconnected 1 13")
  }

  /// Two hosts that do all things in random order over an air that loses much, ends that walk away and come back.
  @Test("by a random schedule leaves nothing hanging", arguments: 0..<Stage.count(sample: 12, soak: 2000))
  func randomSchedule(_ seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let stage = Stage(
      RadioConfiguration(
        seed: UInt64(seed), timing: seed % 2 == 0 ? .instant : .paced, loss: Double(seed % 4) * 0.15))
    let buffers: ACLBuffers = seed % 3 == 0 ? .smallest : .standard
    let hosts = (1...2 as ClosedRange<UInt64>).map {
      stage.addActor($0, controller: ControllerConfiguration(buffers: buffers))
    }
    let clients = hosts.map { $0.addClient() }
    let placements = try zip(hosts, clients).map { host, client in try host.publish(client) }
    for _ in 0..<60 {
      let index = Int(random.next() % 2)
      let (host, client, peer) = (hosts[index], clients[index], hosts[1 - index])
      let placement = placements[1 - index]
      let handle = placement.valueHandles[Int(random.next() % 5)]
      let link = host.link(client) ?? LinkID(0)
      switch random.next() % 14 {
      case 0, 1: host.advertise(client)
      case 2, 3, 4: host.connect(client, to: peer)
      case 5: host.disconnect(client, from: peer)
      case 6: host.submit(.read(handle), client, link)
      case 7: host.submit(.write(handle, [UInt8](repeating: 1, count: Int(random.next() % 513))), client, link)
      case 8: host.submit(.discoverCharacteristics(placement.range), client, link)
      case 9:
        host.submit(
          .configureNotifications(placement.record(.indicating), enabled: random.next() % 4 > 0), client, link)
      case 10:
        host.with { host, now in
          for _ in 0..<40 { _ = host.writeCommand([1], to: handle, client: client, link: link, now: now) }
        }
      case 11:
        host.with { host, now in
          _ = host.updateValue([2], of: placements[index][.indicating], links: nil, client: client, now: now)
        }
      case 12:
        let nodes = (hosts[0].node, hosts[1].node)
        let metres = random.next() % 2 == 0 ? 5000.0 : 1.0
        stage.simulation.withRadio { radio, now in radio.setDistance(metres, between: nodes.0, and: nodes.1, now: now) }
      default: stage.advance(.milliseconds(Int(random.next() % 3000)))
      }
    }
    let nodes = (hosts[0].node, hosts[1].node)
    stage.simulation.withRadio { radio, now in
      radio.setDistance(nil, between: nodes.0, and: nodes.1, now: now)
      radio.setLoss(0, between: nodes.0, and: nodes.1, now: now)
    }
    stage.advance(.seconds(120))
    for (index, host) in hosts.enumerated() {
      let outcomes = stage.simulation.dequeueOutcomes(of: host.node)
      #expect(Set(outcomes.map(\.request)) == Set(host.submitted))
      #expect(outcomes.count == host.submitted.count)
      // Links begin and end in turn, for each role in which a client has them.
      var isUp: [LinkRole: [LinkID: Bool]] = [.central: [:], .peripheral: [:]]
      for entry in host.log {
        switch entry.event {
        case .connected(let link, _, let role):
          #expect(isUp[role]?[link] != true, "\(link) of host \(index)")
          #expect(role == .central || isUp[role]?[link] == nil, "\(link) of host \(index)")
          isUp[role]?[link] = true
        case .disconnected(let link, _, let role, _) where link != LinkID(0):
          #expect(isUp[role]?[link] == true, "\(link) of host \(index)")
          isUp[role]?[link] = false
        default: break
        }
      }
    }
    // Everything still works.
    for (host, client) in zip(hosts, clients) { host.disconnect(client, from: host === hosts[0] ? hosts[1] : hosts[0]) }
    stage.advance(.seconds(30))
    hosts[1].advertise(clients[1])
    hosts[0].clearLog()
    hosts[0].connect(clients[0], to: hosts[1])
    stage.wait { hosts[0].link(clients[0]) != nil }
    let link = try #require(hosts[0].link(clients[0]))
    #expect(hosts[0].run(.write(placements[1][.plain], [5]), clients[0], link)?.isWritten == true)
  }
}

/// SplitMix64: a seed decides a schedule.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
