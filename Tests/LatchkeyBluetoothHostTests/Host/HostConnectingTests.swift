import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A host's connecting") struct HostConnectingTests {
  let stage = Stage()

  private func lamp(_ number: UInt64) -> (Actor, ClientID) {
    let actor = stage.addActor(number)
    let client = actor.addClient()
    actor.advertise(client)
    return (actor, client)
  }

  @Test("waits without limit for a device that is not there") func patience() {
    let central = stage.addActor(1)
    let app = central.addClient()
    let absent = stage.addActor(2)
    central.connect(app, to: absent)
    central.connect(app, to: absent)
    stage.advance(.seconds(86400))
    #expect(central.heard(app) == [])
    #expect(central.with { host, _ in host.isConnecting(app, to: absent.address) })
    absent.advertise(absent.addClient())
    stage.advance(.seconds(1))
    #expect(central.heard(app) == ["connected 2 as central"])
    #expect(!central.with { host, _ in host.isConnecting(app, to: absent.address) })
    #expect(central.with { host, _ in host.connectedPeers.map(\.peer) } == [absent.address])
  }

  @Test("is given up before it is done, at once") func cancelledBefore() {
    let central = stage.addActor(1)
    let app = central.addClient()
    let absent = stage.addActor(2)
    central.connect(app, to: absent)
    central.disconnect(app, from: absent)
    #expect(central.heard(app) == ["disconnected 2 requested before"])
    central.disconnect(app, from: absent)
    absent.advertise(absent.addClient())
    stage.advance(.seconds(10))
    #expect(central.heard(app) == ["disconnected 2 requested before"])
    #expect(central.with { host, _ in host.nextDeadline } == nil)
    // The next one is not disturbed.
    central.connect(app, to: absent)
    stage.advance(.seconds(1))
    #expect(central.heard(app).last == "connected 2 as central")
  }

  @Test("is given up after it was done") func cancelledAfter() throws {
    let couple = try Couple()
    couple.central.clearLog()
    couple.central.disconnect(couple.app, from: couple.peripheral)
    #expect(couple.central.heard(couple.app) == ["disconnected 2 requested"])
    #expect(couple.peripheral.heard(couple.device).last == "disconnected 1 13")
    #expect(couple.central.submit(.read(3), couple.app, couple.link) == RequestID(1))
    #expect(couple.central.simulation.dequeueOutcome(RequestID(1), of: couple.central.node)?.failure == .disconnected)
  }

  @Test("given up while it is being done ends in one event, whichever comes first", arguments: 0..<24)
  func cancelRaces(_ step: Int) {
    // The command to cancel, the connection and the device's advertising meet in all orders.
    let central = stage.addActor(1)
    let app = central.addClient()
    let peripheral = stage.addActor(2)
    let device = peripheral.addClient()
    var faults = ControllerFaults()
    faults.commandCreditDelay = .milliseconds(2)
    central.setFaults(faults)
    central.connect(app, to: peripheral)
    stage.advance(.milliseconds(step / 4))
    if step % 2 == 0 { peripheral.advertise(device) }
    central.with { host, now in
      host.disconnect(app, from: peripheral.address, now: now)
      if step % 3 == 0 { host.connect(app, to: peripheral.address, now: now) }
    }
    peripheral.advertise(device)
    stage.advance(.seconds(20))
    let heard = central.heard(app)
    #expect(heard.filter { $0.hasPrefix("disconnected") }.count == 1)
    #expect(heard.last == (step % 3 == 0 ? "connected 2 as central" : heard.last { $0.hasPrefix("disconnected") }))
    #expect(central.with { host, _ in host.connectedPeers.count } == (step % 3 == 0 ? 1 : 0))
    // No unwanted link is left, and everything can be done again.
    #expect(peripheral.with { host, _ in host.connectedPeers.count } == (step % 3 == 0 ? 1 : 0))
    central.disconnect(app, from: peripheral)
    stage.advance(.seconds(1))
    central.connect(app, to: peripheral)
    stage.wait { central.heard(app).last == "connected 2 as central" }
  }

  @Test("shares a link between clients, and ends it with the last") func sharing() throws {
    let couple = try Couple()
    let (central, one) = (couple.central, couple.app)
    let two = central.addClient()
    central.connect(two, to: couple.peripheral)
    #expect(central.heard(two) == ["connected 2 as central"])
    #expect(central.link(two) == couple.link)
    central.disconnect(one, from: couple.peripheral)
    #expect(central.heard(one).last == "disconnected 2 requested")
    #expect(central.run(.read(couple.placement[.plain]), two, couple.link)?.value == [])
    // It can come back.
    central.connect(one, to: couple.peripheral)
    #expect(central.heard(one).last == "connected 2 as central")
    central.with { host, now in host.removeClient(two, now: now) }
    #expect(central.run(.read(couple.placement[.plain]), one, couple.link)?.value == [])
    central.disconnect(one, from: couple.peripheral)
    #expect(central.heard(one).last == "disconnected 2 requested")
    #expect(couple.peripheral.heard(couple.device).last == "disconnected 1 13")
    // The events to a client end with its removal.
    #expect(central.heard(two) == ["connected 2 as central"])
  }

  @Test("finds any of many devices at once, as far as the controller's list goes", arguments: [2, 10, 16])
  func manyAtOnce(_ count: Int) {
    let central = stage.addActor(1)
    let app = central.addClient()
    for number in 0..<UInt64(count) {
      central.with { host, now in host.connect(app, to: .staticRandom(50 + number), now: now) }
    }
    stage.advance(.seconds(60))
    #expect(central.with { host, _ in host.nextDeadline } == nil)
    for number in [UInt64(51), 50 + UInt64(count) - 1] where central.count(app, "connected \(number) as central") == 0 {
      let (device, _) = lamp(number)
      stage.advance(.milliseconds(300))
      #expect(central.heard(app).last == "connected \(number) as central")
      #expect(device.with { host, _ in host.connectedPeers.count } == 1)
    }
    // A canceled peripheral is not connected; the others are still pending.
    central.with { host, now in host.disconnect(app, from: .staticRandom(50), now: now) }
    let (given, _) = lamp(50)
    stage.advance(.seconds(5))
    #expect(given.with { host, _ in host.connectedPeers.isEmpty })
  }

  @Test(
    "does without a list that the controller refuses",
    arguments: [
      HCIOpcode.leClearFilterAcceptList, .leAddDeviceToFilterAcceptList,
    ]) func refusedList(_ opcode: HCIOpcode)
  {
    let central = stage.addActor(1)
    let app = central.addClient()
    var faults = ControllerFaults()
    faults.refusedCommands = [opcode.rawValue: .memoryCapacityExceeded]
    central.setFaults(faults)
    for number in UInt64(50)..<53 {
      central.with { host, now in host.connect(app, to: .staticRandom(number), now: now) }
    }
    let (_, _) = lamp(52)
    stage.advance(ConnectionInitiator.turn * 4)
    #expect(central.heard(app) == ["connected 52 as central"])
  }

  // MARK: Scanning and connecting

  /// How a controller that cannot do both lets its host know.
  enum Inability: CaseIterable {
    case byItsStates
    case byRefusing
  }

  @Test("pauses scanning where the controller cannot do both", arguments: Inability.allCases)
  func scanningController(_ how: Inability) throws {
    let central = stage.addActor(
      1, controller: ControllerConfiguration(scansWhileInitiating: how != .byItsStates))
    if how == .byRefusing {
      var faults = ControllerFaults()
      faults.refusesScanningWhileInitiating = true
      central.setFaults(faults)
    }
    let (app, other) = (central.addClient(), central.addClient())
    central.with { host, now in _ = host.startScan(other, services: nil, allowDuplicates: true, now: now) }
    let (device, _) = lamp(2)
    stage.wait { central.count(other, "found 2 Lamp") > 0 }
    central.connect(app, to: device)
    stage.wait(.seconds(1)) { central.link(app) != nil }
    #expect(central.heard(app) == ["connected 2 as central"])
    // The scan goes on, and so it does while a device is waited for that is not there.
    central.clearLog()
    stage.advance(.seconds(1))
    #expect(central.count(other, "found 2 Lamp") > 3)
    central.with { host, now in host.connect(app, to: .staticRandom(50), now: now) }
    central.clearLog()
    stage.advance(.seconds(20))
    #expect(central.count(other, "found 2 Lamp") > 10)
    let (late, _) = lamp(50)
    stage.advance(ConnectionInitiator.turn + ConnectionInitiator.pause)
    #expect(late.with { host, _ in host.connectedPeers.count } == 1)
    // A scan that begins during an initiation has its share as well.
    central.with { host, now in host.stopScan(other, now: now) }
    central.with { host, now in host.connect(app, to: .staticRandom(51), now: now) }
    stage.advance(.seconds(60))
    central.clearLog()
    central.with { host, now in _ = host.startScan(other, services: nil, allowDuplicates: true, now: now) }
    stage.advance(.seconds(20))
    #expect(central.count(other, "found 2 Lamp") > 10)
    #expect(central.heard(app) == [])
  }

  @Test("gives each of several devices its turn, where there is no list") func rotation() {
    let central = stage.addActor(1, controller: ControllerConfiguration(filterAcceptListSize: 1))
    let app = central.addClient()
    for number in UInt64(50)..<54 {
      central.with { host, now in host.connect(app, to: .staticRandom(number), now: now) }
    }
    let (last, _) = lamp(2)
    central.connect(app, to: last)
    stage.advance(ConnectionInitiator.turn * 5)
    #expect(central.heard(app) == ["connected 2 as central"])
    // The others are waited for still.
    let (another, _) = lamp(53)
    stage.advance(ConnectionInitiator.turn * 5)
    #expect(central.heard(app) == ["connected 2 as central", "connected 53 as central"])
    _ = another
  }

  @Test("tries again when a link fails to be established, with the client none the wiser", arguments: 1...3)
  func failsToBeEstablished(_ times: Int) {
    let central = stage.addActor(1)
    let (peripheral, _) = lamp(2)
    let app = central.addClient()
    var faults = ControllerFaults()
    faults.lostConnectionRequests = times
    central.setFaults(faults)
    central.connect(app, to: peripheral)
    #expect(central.heard(app) == [])
    #expect(central.with { host, _ in host.isConnecting(app, to: peripheral.address) })
    #expect(central.with { host, _ in host.connectedPeers.isEmpty })
    stage.wait { central.link(app) != nil }
    #expect(central.heard(app) == ["connected 2 as central"])
  }

  @Test("reports a link that fails to be established again and again") func neverEstablished() {
    let central = stage.addActor(1)
    let (peripheral, _) = lamp(2)
    let app = central.addClient()
    var faults = ControllerFaults()
    faults.lostConnectionRequests = ConnectionInitiator.retryLimit + 1
    central.setFaults(faults)
    central.connect(app, to: peripheral)
    stage.advance(.seconds(60))
    #expect(central.heard(app) == ["failed 2 3e"])
    #expect(!central.with { host, _ in host.isConnecting(app, to: peripheral.address) })
    central.connect(app, to: peripheral)
    stage.wait { central.link(app) != nil }
  }

  @Test("is given up while a link is not established yet") func cancelledBeforeEstablished() {
    let central = stage.addActor(1)
    let (peripheral, _) = lamp(2)
    let (one, two) = (central.addClient(), central.addClient())
    var faults = ControllerFaults()
    faults.lostConnectionRequests = 1
    central.setFaults(faults)
    central.connect(one, to: peripheral)
    stage.advance(.milliseconds(20))
    // The link is there, as far as the controller knows.
    central.connect(two, to: peripheral)
    central.disconnect(one, from: peripheral)
    #expect(central.heard(one) == ["disconnected 2 requested before"])
    stage.wait { central.link(two) != nil }
    #expect(central.heard(one) == ["disconnected 2 requested before"])
    #expect(central.heard(two) == ["connected 2 as central"])
  }

  @Test("counts a silent peer as connected, after the time in which a controller gives up") func silentPeer() {
    let central = stage.addActor(1, mtu: 23, controller: ControllerConfiguration(features: []))
    let peripheral = stage.addActor(2, mtu: 23, controller: ControllerConfiguration(features: []))
    let app = central.addClient()
    peripheral.advertise(peripheral.addClient())
    central.connect(app, to: peripheral)
    #expect(central.heard(app) == [])
    stage.advance(.milliseconds(300))
    #expect(central.heard(app) == ["connected 2 as central"])
  }

  @Test("reports a controller that refuses to connect, after a few attempts") func refused() {
    let central = stage.addActor(1)
    let (peripheral, _) = lamp(2)
    let app = central.addClient()
    var faults = ControllerFaults()
    faults.refusedCommands = [HCIOpcode.leCreateConnection.rawValue: .memoryCapacityExceeded]
    central.setFaults(faults)
    central.connect(app, to: peripheral)
    stage.advance(.seconds(10))
    #expect(central.heard(app) == ["failed 2 07"])
  }

  @Test("goes on when the command to cancel gets lost") func lostCancel() {
    let central = stage.addActor(1)
    let app = central.addClient()
    let absent = stage.addActor(2)
    let (present, _) = lamp(3)
    central.connect(app, to: absent)
    var faults = ControllerFaults()
    faults.silentCommands = [HCIOpcode.leCreateConnectionCancel.rawValue]
    central.setFaults(faults)
    central.disconnect(app, from: absent)
    stage.advance(.seconds(3))
    central.setFaults(ControllerFaults())
    central.connect(app, to: present)
    stage.wait(.seconds(20)) { central.link(app) != nil }
    #expect(central.heard(app) == ["disconnected 2 requested before", "connected 3 as central"])
    // The controller no longer looks for the first one.
    absent.advertise(absent.addClient())
    stage.advance(.seconds(5))
    #expect(central.with { host, _ in host.connectedPeers.count } == 1)
    #expect(absent.with { host, _ in host.connectedPeers.count } == 0)
  }

  @Test("closes a link without a waiting client") func unwantedLink() {
    let central = stage.addActor(1)
    let app = central.addClient()
    let absent = stage.addActor(2)
    central.connect(app, to: absent)
    var faults = ControllerFaults()
    faults.silentCommands = [HCIOpcode.leCreateConnectionCancel.rawValue]
    central.setFaults(faults)
    central.disconnect(app, from: absent)
    central.clearLog()
    let device = absent.addClient()
    absent.advertise(device)
    stage.advance(.seconds(10))
    #expect(central.heard(app) == [])
    #expect(absent.heard(device).suffix(2) == ["connected 1 as peripheral", "disconnected 1 13"])
  }

  @Test("waits for the end of a link before it makes the next one to the same device") func reconnectAtOnce() throws {
    let couple = try Couple(RadioConfiguration(timing: AirTiming(latency: .milliseconds(20))))
    couple.central.clearLog()
    for _ in 0..<5 {
      couple.central.with { host, now in
        host.disconnect(couple.app, from: couple.peripheral.address, now: now)
        host.connect(couple.app, to: couple.peripheral.address, now: now)
      }
      couple.stage.wait { couple.central.heard(couple.app).last == "connected 2 as central" }
      #expect(couple.central.heard(couple.app) == ["disconnected 2 requested", "connected 2 as central"])
      couple.central.clearLog()
    }
  }

  @Test("shares the link that the device itself made") func otherWayRound() {
    let (one, two) = (stage.addActor(1), stage.addActor(2))
    let (a, b) = (one.addClient(), two.addClient())
    one.advertise(a)
    one.connect(a, to: two)
    two.connect(b, to: one)
    stage.wait { one.link(a) != nil && two.link(b) != nil }
    #expect(one.heard(a).suffix(2) == ["connected 2 as peripheral", "connected 2 as central"])
    one.disconnect(a, from: two)
    #expect(one.heard(a).last == "disconnected 2 requested")
    stage.advance(.seconds(10))
    #expect(two.heard(b) == ["connected 1 as central"])
    two.disconnect(b, from: one)
    #expect(one.heard(a).last == "disconnected 2 13")
  }

  @Test(
    "reports why a link ended",
    arguments: [
      HCIStatus.connectionTimeout, .remotePowerOff, .remoteLowResources, .linkLayerResponseTimeout,
    ]) func reasons(_ reason: HCIStatus) throws
  {
    let couple = try Couple()
    let node = couple.peripheral.node
    couple.stage.simulation.withRadio { radio, now in radio.dropLinks(of: node, reason: reason, now: now) }
    guard case .disconnected(couple.link, _, .central, .reason(reason)) = couple.central.log.last?.event else {
      Issue.record("\(couple.central.log)")
      return
    }
  }

  @Test("reports the signal strength, or that there is none") func rssi() throws {
    let couple = try Couple()
    let (central, app) = (couple.central, couple.app)
    let node = (central.node, couple.peripheral.node)
    couple.stage.simulation.withRadio { radio, now in radio.setRSSI(-77, between: node.0, and: node.1, now: now) }
    let other = central.addClient()
    central.clearLog()
    central.with { host, now in
      host.readRSSI(app, link: couple.link, now: now)
      host.readRSSI(other, link: couple.link, now: now)
    }
    #expect(central.heard(app) == ["rssi -77"])
    #expect(central.heard(other) == ["rssi -77"])
    var faults = ControllerFaults()
    faults.silentCommands = [HCIOpcode.readRSSI.rawValue]
    central.setFaults(faults)
    central.with { host, now in host.readRSSI(app, link: couple.link, now: now) }
    central.disconnect(app, from: couple.peripheral)
    couple.stage.advance(.seconds(10))
    #expect(central.heard(app) == ["rssi -77", "rssi none", "disconnected 2 requested"])
  }

  @Test("ends a link by itself if the controller never reports its end") func silentDisconnect() throws {
    let couple = try Couple()
    var faults = ControllerFaults()
    faults.silentCommands = [HCIOpcode.disconnect.rawValue]
    couple.central.setFaults(faults)
    couple.central.clearLog()
    couple.central.disconnect(couple.app, from: couple.peripheral)
    #expect(couple.central.heard(couple.app) == [])
    couple.stage.advance(Link.disconnectTimeout)
    #expect(couple.central.heard(couple.app) == ["disconnected 2 requested"])
  }
}
