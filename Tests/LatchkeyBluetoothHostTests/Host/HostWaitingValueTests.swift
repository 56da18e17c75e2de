import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

@Suite("Values that wait for a client") struct HostWaitingValueTests {
  @Test("do not go to one that is out of step meanwhile") func outOfStep() throws {
    let audience = try HostFairnessTests.Audience()
    let (slow, app, lamp) = (audience.slow, audience.slowApp, audience.lamp)
    // It wants to be told of changes.
    #expect(slow.run(.write(11, [1]), app, audience.slowLink)?.isWritten == true)
    slow.isConsuming = false
    audience.send(.notifying, 250)
    audience.send(.indicating, 3)
    let link = try audience.laggingLink()
    // All that waits, but for one indication, are notifications.
    let waiting = link.laggingUpdates.count - 1
    #expect(waiting > 10)
    #expect(link.server.indications.outstanding == audience.placement[.indicating])
    _ = try lamp.publish(audience.device, uuid: 0xFFE0)
    #expect(link.laggingUpdates.isEmpty)
    #expect(link.server.indications.outstanding == nil)
    audience.hurry()
    audience.stage.advance(.seconds(60))
    #expect(slow.notifications(app).count == 250 - waiting)
    #expect(lamp.with { host, _ in host.connectedPeers.count } == 2)
  }
}
