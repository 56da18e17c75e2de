import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A host's server") struct HostServerTests {
  /// A peripheral with two centrals that listen to its notifying characteristic.
  private struct Trio {
    let stage = Stage()
    let peripheral: Actor
    let device: ClientID
    let placement: GATTServicePlacement
    var centrals: [(actor: Actor, app: ClientID, link: LinkID)] = []

    init(_ configurations: [ControllerConfiguration] = [.init(), .init()]) throws {
      peripheral = stage.addActor(9)
      device = peripheral.addClient()
      placement = try peripheral.publish(device)
      peripheral.advertise(device)
      for (index, configuration) in configurations.enumerated() {
        let actor = stage.addActor(UInt64(index + 1), controller: configuration)
        let app = actor.addClient()
        actor.connect(app, to: peripheral)
        stage.wait { actor.link(app) != nil }
        centrals.append((actor, app, try #require(actor.link(app))))
      }
    }

    func update(_ value: [UInt8], _ kind: Actor.Value = .notifying, links: [LinkID]? = nil) -> Bool {
      peripheral.with { host, now in
        host.updateValue(value, of: placement[kind], links: links, client: device, now: now)
      }
    }

    func subscribe(_ index: Int, _ kind: Actor.Value = .notifying) {
      let central = centrals[index]
      #expect(
        central.actor.configure(kind, of: placement, enabled: true, central.app, central.link)?.isWritten == true)
    }

    func heard(_ index: Int) -> [[UInt8]] { centrals[index].actor.notifications(centrals[index].app) }

    /// The peripheral's name for a central's link.
    func link(_ index: Int) throws -> LinkID {
      let address = centrals[index].actor.address
      return try #require(peripheral.with { host, _ in host.connectedPeers.first { $0.peer == address }?.link })
    }
  }

  @Test("sends a value to all subscribers, or to those that are named") func targets() throws {
    let trio = try Trio()
    #expect(trio.update([1]))
    trio.subscribe(0)
    #expect(trio.update([2]))
    trio.subscribe(1)
    #expect(trio.update([3]))
    #expect(trio.update([4], links: [try trio.link(1)]))
    #expect(trio.update([5], links: []))
    #expect(trio.update([6], links: [LinkID(99)]))
    #expect(trio.heard(0) == [[2], [3]])
    #expect(trio.heard(1) == [[3], [4]])
    #expect(trio.peripheral.heard(trio.device).suffix(2) == ["1 wants notifications", "2 wants notifications"])
  }

  @Test("sends to the centrals with capacity at once, and to a full one later, up to the limit of its queue")
  func oneReadsNothing() throws {
    let trio = try Trio()
    trio.subscribe(0)
    trio.subscribe(1)
    let slow = trio.centrals[0]
    slow.actor.isConsuming = false
    for number in 0..<200 { #expect(trio.update([UInt8(number)])) }
    #expect(trio.heard(1) == (0..<200).map { [UInt8($0)] })
    #expect(trio.heard(0).count < 200)
    // It has lost nothing so far.
    slow.actor.isConsuming = true
    slow.actor.with { host, now in host.consumed(1000, on: slow.link, client: slow.app, now: now) }
    trio.stage.advance(.seconds(1))
    #expect(trio.heard(0) == trio.heard(1))
    // A value for it alone waits for it; then capacity is reported to it.
    slow.actor.isConsuming = false
    let link = try trio.link(0)
    trio.peripheral.clearLog()
    var sent = 0
    while sent < 1000, trio.update([7], links: [link]) { sent += 1 }
    #expect(sent < 200)
    #expect(trio.update([8]))
    #expect(trio.peripheral.heard(trio.device) == [])
    slow.actor.isConsuming = true
    slow.actor.with { host, now in host.consumed(1000, on: slow.link, client: slow.app, now: now) }
    trio.stage.advance(.seconds(1))
    #expect(trio.peripheral.heard(trio.device) == ["ready to update"])
    #expect(trio.heard(0).suffix(sent + 1) == Array(repeating: [7], count: sent) + [[8]])
    #expect(trio.peripheral.with { host, _ in host.ignored.updates } == 0)
  }

  @Test("reports capacity when the full central has disconnected") func roomByLoss() throws {
    let trio = try Trio()
    trio.subscribe(0)
    trio.centrals[0].actor.isConsuming = false
    var (sent, before) = (0, -1)
    while sent > before {
      before = sent
      while trio.update([UInt8(sent & 0xFF)]) { sent += 1 }
    }
    trio.peripheral.clearLog()
    trio.centrals[0].actor.disconnect(trio.centrals[0].app, from: trio.peripheral)
    trio.stage.advance(.seconds(1))
    #expect(
      trio.peripheral.heard(trio.device) == ["1 wants none", "disconnected 1 13", "ready to update"])
    #expect(trio.update([1]))
  }

  @Test("sends indications one by one, refuses them when many wait, and reports capacity") func indications() throws {
    // The central cannot confirm: its one buffer never comes back.
    let trio = try Trio([ControllerConfiguration(buffers: .smallest)])
    trio.subscribe(0, .indicating)
    let central = trio.centrals[0].actor
    var faults = ControllerFaults()
    faults.credits = .withheld
    central.setFaults(faults)
    var sent = 0
    while trio.update([UInt8(sent)], .indicating) { sent += 1 }
    // One is out, one was confirmed with the last buffer.
    #expect((IndicationQueue.mostWaiting + 1...IndicationQueue.mostWaiting + 2).contains(sent))
    trio.peripheral.clearLog()
    // The notifications of others are not held up.
    #expect(trio.update([1]))
    central.setFaults(ControllerFaults())
    #expect(trio.heard(0) == (0..<sent).map { [UInt8($0)] })
    #expect(trio.peripheral.heard(trio.device) == ["ready to update"])
  }

  @Test("reports every change of the database, though the peer was slow to confirm the first ones")
  func serviceChanged()
    throws
  {
    let trio = try Trio([ControllerConfiguration(buffers: .smallest), ControllerConfiguration()])
    for central in trio.centrals {
      guard
        case .characteristics(let found) = central.actor.run(.discoverCharacteristics(.all), central.app, central.link),
        let changed = found.first(where: { $0.uuid == 0x2A05 })
      else {
        Issue.record("no Service Changed")
        return
      }
      if central.actor === trio.centrals[0].actor {
        #expect(
          central.actor.run(.configureNotifications(changed, enabled: true), central.app, central.link)?.isWritten
            == true)
      }
    }
    let central = trio.centrals[0]
    var faults = ControllerFaults()
    faults.credits = .withheld
    central.actor.setFaults(faults)
    var ranges: [AttributeHandleRange] = []
    for number in 0..<40 {
      ranges.append(try trio.peripheral.publish(trio.device, uuid: BluetoothUUID(UInt16(0xA000 + number))).range)
    }
    for range in ranges.prefix(30) {
      trio.peripheral.with { host, now in host.removeService(at: range, client: trio.device, now: now) }
    }
    central.actor.setFaults(ControllerFaults())
    trio.stage.advance(.seconds(1))
    let reported = central.actor.log.compactMap { entry -> AttributeHandleRange? in
      if case .servicesChanged(_, let range) = entry.event { range } else { nil }
    }
    for range in ranges {
      #expect(reported.contains { $0.start <= range.start && range.end <= $0.end }, "\(range)")
    }
    // The last removal was reported after it.
    #expect(reported.last.map { $0.start <= ranges[29].start && ranges[29].end <= $0.end } == true)
    #expect(reported.count <= IndicationQueue.mostWaiting + 3)
    // A client that did not ask gets no event.
    #expect(!trio.centrals[1].actor.heard(trio.centrals[1].app).contains { $0.hasPrefix("changed") })
  }

  @Test("answers a request for an attribute that goes away meanwhile") func removedUnderway() throws {
    let couple = try Couple()
    couple.peripheral.isAnswering = false
    let (central, app, link) = (couple.central, couple.app, couple.link)
    let read = central.submit(.read(couple.placement[.plain]), app, link)
    couple.peripheral.with { host, now in
      host.removeService(at: couple.placement.range, client: couple.device, now: now)
    }
    #expect(
      central.simulation.dequeueOutcome(read, of: central.node)?.failure
        == .refused(.invalidHandle, handle: couple.placement[.plain]))
    // The late answer is ignored.
    let late = couple.peripheral.requests
    couple.peripheral.with { host, now in
      for request in late { host.respond(to: request, with: .value([1]), now: now) }
    }
    #expect(central.run(.read(3), app, link)?.value?.isEmpty == false)
  }

  @Test("ignores a second answer, and one of a link that is gone") func answersTwice() throws {
    let couple = try Couple()
    couple.peripheral.isAnswering = false
    let (central, app, link) = (couple.central, couple.app, couple.link)
    let read = central.submit(.read(couple.placement[.plain]), app, link)
    let request = try #require(couple.peripheral.requests.first)
    func answer(_ value: [UInt8]) {
      couple.peripheral.with { host, now in host.respond(to: request, with: .value(value), now: now) }
    }
    answer([1])
    answer([2])
    #expect(central.simulation.dequeueOutcome(read, of: central.node)?.value == [1])
    central.submit(.read(couple.placement[.plain]), app, link)
    answer([3])
    central.disconnect(app, from: couple.peripheral)
    answer([4])
    #expect(central.simulation.dequeueOutcomes(of: central.node).map { $0.outcome.failure } == [.disconnected])
  }
}
