import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A host's bonded clients") struct HostBondedClientTests {
  /// A couple that is bonded and connected, and a service with values that the peripheral sends.
  private func bonded() throws -> (couple: PairingCouple, placement: GATTServicePlacement) {
    let couple = try PairingCouple()
    couple.disconnect()
    let placement = try couple.peripheral.publish(couple.device)
    try couple.connect()
    #expect(couple.read(couple.secret)?.value == [0x51])
    return (couple, placement)
  }

  private func subscribe(_ couple: PairingCouple, _ value: Actor.Value, of placement: GATTServicePlacement) {
    let outcome = couple.central.configure(value, of: placement, enabled: true, couple.app, couple.link)
    #expect(outcome?.isWritten == true)
  }

  private func subscription(_ couple: PairingCouple, _ handle: AttributeHandle) -> Subscription? {
    couple.peripheral.with { host, _ in host.link(couple.peripheralLink)?.server.subscription(to: handle) }
  }

  private func changes(_ couple: PairingCouple) -> [BondChange] {
    couple.stage.simulation.dequeueBondChanges(of: couple.peripheral.node)
  }

  @Test("are subscribed again on the next encrypted link, and their owners hear of it") func configurations() throws {
    let (couple, placement) = try bonded()
    subscribe(couple, .notifying, of: placement)
    subscribe(couple, .indicating, of: placement)
    couple.disconnect()
    try couple.connect()
    couple.stage.advance(.seconds(1))
    #expect(couple.peripheralSecurity?.isEncrypted == true)
    #expect(subscription(couple, placement[.notifying]) == .notifications)
    #expect(subscription(couple, placement[.indicating]) == .indications)
    #expect(subscription(couple, placement[.other]) == Subscription.none)
    #expect(
      couple.peripheral.heard(couple.device).filter { $0.hasPrefix("1 wants") } == [
        "1 wants notifications", "1 wants indications",
      ])
    // What they turn off stays off.
    let outcome = couple.central.run(
      .write(placement[.notifying] + 1, [0, 0]), couple.app, couple.link)
    #expect(outcome?.isWritten == true)
    couple.disconnect()
    try couple.connect()
    couple.stage.advance(.seconds(1))
    #expect(subscription(couple, placement[.notifying]) == Subscription.none)
    #expect(subscription(couple, placement[.indicating]) == .indications)
  }

  @Test("have nothing on a link in clear, and others have nothing of theirs") func inClear() throws {
    let (couple, placement) = try bonded()
    subscribe(couple, .notifying, of: placement)
    couple.disconnect()
    // The central does not encrypt without its key.
    let peer = couple.peripheral.address
    _ = couple.central.with { host, now in host.removeBond(with: peer, now: now) }
    try couple.connect()
    couple.stage.advance(.seconds(1))
    #expect(subscription(couple, placement[.notifying]) == Subscription.none)
    // And what it writes in clear is not kept.
    subscribe(couple, .other, of: placement)
    let before = couple.bond(couple.peripheral)
    couple.disconnect()
    #expect(couple.bond(couple.peripheral) == before)
    let stranger = couple.stage.addActor(3)
    let app = stranger.addClient()
    stranger.connect(app, to: couple.peripheral)
    couple.stage.wait { stranger.link(app) != nil }
    let isSubscribed = couple.peripheral.with { host, _ in
      host.links.contains { $0.server.subscription(to: placement[.notifying]) != .none }
    }
    #expect(!isSubscribed)
  }

  @Test("begin anew with a new pairing") func newPairing() throws {
    let (couple, placement) = try bonded()
    subscribe(couple, .notifying, of: placement)
    couple.disconnect()
    let peer = couple.peripheral.address
    _ = couple.central.with { host, now in host.removeBond(with: peer, now: now) }
    try couple.connect()
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.pairings(couple.peripheral) == ["pairing with 1: stored"])
    #expect(couple.bond(couple.peripheral)?.client?.configurations == [])
    #expect(subscription(couple, placement[.notifying]) == Subscription.none)
  }

  @Test("go to the store a moment after they change, together, and before a process could lose them") func store()
    throws
  {
    let (couple, placement) = try bonded()
    let first = changes(couple)
    #expect(first.map(\.isUpdate) == [false])
    #expect(first.first?.bond?.client?.knownHash == couple.peripheral.with { host, _ in host.database.hash })
    for _ in 0..<200 {
      subscribe(couple, .notifying, of: placement)
      _ = couple.central.configure(.notifying, of: placement, enabled: false, couple.app, couple.link)
    }
    subscribe(couple, .indicating, of: placement)
    couple.stage.advance(Host.clientSaveDelay)
    let saved = changes(couple)
    // As many as there were periods, at most.
    #expect(saved.count < 10 && saved.allSatisfy(\.isUpdate))
    #expect(saved.last?.bond?.client?.configurations.map(\.valueHandle) == [placement[.indicating]])
    // Nothing new at the end of the link, nothing stored.
    couple.disconnect()
    #expect(changes(couple).isEmpty)
    try couple.connect()
    couple.stage.advance(.seconds(1))
    subscribe(couple, .notifying, of: placement)
    couple.disconnect()
    #expect(changes(couple).last?.bond?.client?.configurations.count == 2)
  }

  @Test("are known after a restart, whose database is the same") func restart() throws {
    let (couple, placement) = try bonded()
    subscribe(couple, .notifying, of: placement)
    couple.disconnect()
    let own = try #require(couple.bond(couple.central))
    let stored = StoredBonds.encode([
      StoredBonds.Entry(local: couple.peripheral.address, bond: try #require(couple.bond(couple.peripheral)))
    ])
    let other = try #require(try StoredBonds.decode(stored).first?.bond)
    let next = try PairingCouple()
    let again = try next.peripheral.publish(next.device)
    #expect(again == placement)
    next.disconnect()
    next.central.with { host, _ in _ = host.addBond(own) }
    next.peripheral.with { host, _ in _ = host.addBond(other) }
    try next.connect()
    next.stage.advance(.seconds(1))
    #expect(subscription(next, placement[.notifying]) == .notifications)
    let isAware = next.peripheral.with { host, _ in host.link(next.peripheralLink)?.server.awareness.isAware }
    #expect(isAware == true)
  }

  @Test("are told of a change between two links, and then know of it") func missedChange() throws {
    let (couple, placement) = try bonded()
    let changed = GATTCharacteristicRecord(
      uuid: 0x2A05, declaration: 7, valueHandle: 8, end: 9, properties: .indicate)
    let outcome = couple.central.run(.configureNotifications(changed, enabled: true), couple.app, couple.link)
    #expect(outcome?.isWritten == true)
    // The peer wants to be told.
    #expect(couple.central.run(.write(11, [1]), couple.app, couple.link)?.isWritten == true)
    subscribe(couple, .notifying, of: placement)
    couple.disconnect()
    _ = try couple.peripheral.publish(couple.device, uuid: 0xFFE0)
    // The central's host takes it for any value, but confirms it.
    try couple.connect()
    couple.stage.advance(.seconds(1))
    let isAware = couple.peripheral.with { host, _ in host.link(couple.peripheralLink)?.server.awareness.isAware }
    #expect(isAware == true)
    #expect(subscription(couple, placement[.notifying]) == .notifications)
    #expect(
      couple.bond(couple.peripheral)?.client?.knownHash != couple.peripheral.with { host, _ in host.database.hash })
    couple.stage.advance(Host.clientSaveDelay)
    #expect(
      couple.bond(couple.peripheral)?.client?.knownHash == couple.peripheral.with { host, _ in host.database.hash })
  }

  @Test("keep the configurations of a service that goes and comes back") func service() throws {
    let (couple, placement) = try bonded()
    subscribe(couple, .notifying, of: placement)
    couple.peripheral.with { host, now in
      host.removeService(at: placement.range, client: couple.device, now: now)
    }
    #expect(subscription(couple, placement[.notifying]) == Subscription.none)
    couple.disconnect()
    let again = try couple.peripheral.publish(couple.device)
    #expect(again.range == placement.range)
    try couple.connect()
    couple.stage.advance(.seconds(1))
    #expect(subscription(couple, placement[.notifying]) == .notifications)
  }

  @Test("are not those of a peer that pairs under their address, and proves less") func weakerPeer() throws {
    let couple = try PairingCouple()
    let placement = try couple.peripheral.publish(couple.device)
    couple.disconnect()
    var bond = Bond(identity: couple.central.address, isPersistent: true)
    bond.keyAsPeripheral = SecurityKey(Array(1...16)).map {
      LongTermKey(key: $0, size: 16, isAuthenticated: true, isSecureConnections: true)
    }
    var client = BondedClient()
    client.configurations = [.init(valueHandle: placement[.notifying], uuid: 0xFFF3, bits: 1)]
    bond.client = client
    // The bond comes after the link, so that nothing forbids the pairing.
    try couple.connect()
    couple.peripheral.with { host, _ in _ = host.addBond(bond) }
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.pairings(couple.peripheral) == ["pairing with 1: not stored"])
    #expect(subscription(couple, placement[.notifying]) == Subscription.none)
    subscribe(couple, .other, of: placement)
    couple.disconnect()
    #expect(couple.bond(couple.peripheral) == bond)
  }
}
