import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A client that goes") struct HostClientTests {
  /// Everything that a client can have in progress, at a slow controller.
  @Test("ends all its requests when it is removed, at any moment, and gets no further event", arguments: 0..<30)
  func anyMoment(_ step: Int) throws {
    let couple = try Couple()
    let (central, peripheral) = (couple.central, couple.peripheral)
    let other = central.addClient()
    var faults = ControllerFaults()
    faults.commandCreditDelay = .milliseconds(5)
    central.setFaults(faults)
    if step % 2 == 0 { central.connect(other, to: peripheral) }
    peripheral.isAnswering = step % 3 == 0
    central.isConsuming = step % 5 == 0
    let placement = try central.publish(couple.app)
    central.submit(.configureNotifications(couple.placement.record(.notifying), enabled: true), couple.app, couple.link)
    central.submit(.write(couple.placement[.plain], [UInt8](repeating: 1, count: 512)), couple.app, couple.link)
    central.submit(.read(couple.placement[.plain]), couple.app, couple.link)
    central.advertise(couple.app, name: "Central")
    central.with { host, now in
      host.startScan(couple.app, services: nil, allowDuplicates: true, now: now)
      host.connect(couple.app, to: .staticRandom(77), now: now)
      host.readRSSI(couple.app, link: couple.link, now: now)
      while host.writeCommand([1], to: couple.placement[.command], client: couple.app, link: couple.link, now: now) {}
    }
    peripheral.with { host, now in
      for _ in 0..<80 {
        _ = host.updateValue([1], of: couple.placement[.notifying], links: nil, client: couple.device, now: now)
      }
    }
    couple.stage.advance(.milliseconds(step * 2))
    central.clearLog()
    central.with { host, now in host.removeClient(couple.app, now: now) }
    couple.stage.advance(.milliseconds(500))
    #expect(central.heard(couple.app) == [])
    #expect(central.with { host, _ in host.window.held } == 0)
    let outcomes = central.simulation.dequeueOutcomes(of: central.node)
    #expect(outcomes.map(\.request) == central.submitted)
    #expect(!central.with { host, _ in host.isAdvertising(couple.app) })
    #expect(central.with { host, _ in host.database.attribute(placement[.plain]) == nil })
    // The air is free of it: nothing is scanned for, advertised or waited for.
    #expect(central.with { host, _ in host.scanningInController } == nil)
    #expect(central.with { host, _ in host.advertising[0].phase } == .off)
    if step % 2 == 0 {
      // The peer answers what it owes the one that went; then the other has its turn.
      peripheral.isAnswering = true
      peripheral.with { host, now in
        for request in peripheral.requests { host.respond(to: request, with: .written, now: now) }
      }
      #expect(central.run(.read(3), other, couple.link)?.value?.isEmpty == false)
      // No client is subscribed any more: the peer's notifications were turned off.
      #expect(peripheral.heard(couple.device).last { $0.contains("wants") }?.hasSuffix("notifications") != true)
    } else {
      #expect(peripheral.heard(couple.device).last == "disconnected 1 13")
    }
  }

  @Test("leaves its scan, its advertising and its links to others") func othersGoOn() throws {
    let couple = try Couple()
    let other = couple.central.addClient()
    couple.central.connect(other, to: couple.peripheral)
    couple.central.with { host, now in
      host.startScan(other, services: nil, allowDuplicates: true, now: now)
      host.removeClient(couple.app, now: now)
      host.removeClient(couple.app, now: now)
    }
    couple.stage.advance(.seconds(1))
    #expect(couple.central.count(other, "found 2 Lamp") > 5)
    #expect(couple.central.run(.read(couple.placement[.plain]), other, couple.link)?.value == [])
  }
}
