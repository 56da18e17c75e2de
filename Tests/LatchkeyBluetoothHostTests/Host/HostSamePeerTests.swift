import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

/// A central whose process was killed says no goodbye: its next connection comes while the old link is still up here.
@Suite("A second link of the same peer") struct HostSamePeerTests {
  /// Another host with the central's address.
  private func twin(of couple: Couple) -> (actor: Actor, client: ClientID) {
    let twin = couple.stage.addActor(1)
    return (twin, twin.addClient())
  }

  @Test("ends the first one before it begins; the first one's own end says nothing more")
  func theOldOneIsSilent() throws {
    let couple = try Couple()
    let (peripheral, device, placement) = (couple.peripheral, couple.device, couple.placement)
    #expect(couple.central.configure(.notifying, of: placement, enabled: true, couple.app, couple.link) != nil)
    couple.stage.simulation.setPowered(false, couple.central.node)
    peripheral.clearLog()
    let (twin, app) = twin(of: couple)
    twin.connect(app, to: peripheral)
    couple.stage.wait { twin.link(app) != nil && peripheral.link(device) != nil }
    let link = try #require(twin.link(app))
    #expect(twin.configure(.notifying, of: placement, enabled: true, app, link) != nil)
    let story = ["1 wants none", "disconnected 1 08", "connected 1 as peripheral", "1 wants notifications"]
    #expect(peripheral.heard(device) == story)
    #expect(peripheral.with { host, _ in host.connectedPeers.map(\.link) } == [try #require(peripheral.link(device))])
    // Past the supervision timeout, and the time that the controller has to end it.
    couple.stage.advance(.seconds(10))
    #expect(peripheral.heard(device) == story)
    let isTaken = peripheral.with { host, now in
      host.updateValue([7], of: placement[.notifying], links: nil, client: device, now: now)
    }
    #expect(isTaken)
    #expect(twin.run(.write(placement[.plain], [1, 2, 3]), app, link)?.isWritten == true)
    #expect(twin.notifications(app) == [[7]])
    // The new one's end is its own.
    twin.disconnect(app, from: peripheral)
    couple.stage.wait { peripheral.heard(device).last == "disconnected 1 13" }
    #expect(peripheral.heard(device) == story + ["write", "1 wants none", "disconnected 1 13"])
  }

  @Test("comes after the first one's end, if that was heard")
  func theOldOneEndedBefore() throws {
    let couple = try Couple()
    let (peripheral, device) = (couple.peripheral, couple.device)
    couple.stage.simulation.setPowered(false, couple.central.node)
    peripheral.clearLog()
    couple.stage.wait { peripheral.heard(device) == ["disconnected 1 08"] }
    let (twin, app) = twin(of: couple)
    twin.connect(app, to: peripheral)
    couple.stage.wait { twin.link(app) != nil }
    couple.stage.advance(.seconds(10))
    #expect(peripheral.heard(device) == ["disconnected 1 08", "connected 1 as peripheral"])
  }

  @Test("ends the first one for its peer, too, if that still has it")
  func bothAreThere() throws {
    let couple = try Couple()
    let (peripheral, device) = (couple.peripheral, couple.device)
    peripheral.clearLog()
    let (twin, app) = twin(of: couple)
    twin.connect(app, to: peripheral)
    couple.stage.wait { couple.central.heard(couple.app).last == "disconnected 2 13" && twin.link(app) != nil }
    #expect(peripheral.heard(device) == ["disconnected 1 08", "connected 1 as peripheral"])
    let link = try #require(twin.link(app))
    #expect(twin.run(.write(couple.placement[.plain], [1]), app, link)?.isWritten == true)
  }

  @Test("ends what the first one left unanswered")
  func aRequestIsLeft() throws {
    let couple = try Couple()
    let (peripheral, device) = (couple.peripheral, couple.device)
    peripheral.isAnswering = false
    couple.central.submit(.write(couple.placement[.plain], [1]), couple.app, couple.link)
    couple.stage.wait { peripheral.heard(device).last == "write" }
    let late = try #require(peripheral.dequeueRequests().first)
    couple.stage.simulation.setPowered(false, couple.central.node)
    let (twin, app) = twin(of: couple)
    twin.connect(app, to: peripheral)
    couple.stage.wait { twin.link(app) != nil && peripheral.heard(device).last == "connected 1 as peripheral" }
    peripheral.isAnswering = true
    peripheral.with { host, now in host.respond(to: late, with: .error(.unlikelyError), now: now) }
    let link = try #require(twin.link(app))
    #expect(twin.run(.write(couple.placement[.plain], [2]), app, link)?.isWritten == true)
  }
}
