import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

/// What belongs to a peer stays with that peer, whatever happens beside it (Core 6.0 Vol 3 Part G 2.5.2.1, 3.3.3.3).
@Suite("What is kept of a bonded client") struct HostKeptClientTests {
  /// A couple that is bonded and connected, and a service with values that the peripheral sends.
  private func bonded() throws -> (couple: PairingCouple, placement: GATTServicePlacement) {
    let couple = try PairingCouple()
    couple.disconnect()
    let placement = try couple.peripheral.publish(couple.device)
    try couple.connect()
    #expect(couple.read(couple.secret)?.value == [0x51])
    return (couple, placement)
  }

  private func subscribe(
    _ couple: PairingCouple, _ value: Actor.Value, of placement: GATTServicePlacement, enabled: Bool = true
  ) {
    let outcome = couple.central.configure(value, of: placement, enabled: enabled, couple.app, couple.link)
    #expect(outcome?.isWritten == true)
  }

  private func subscription(_ couple: PairingCouple, _ handle: AttributeHandle) -> Subscription? {
    couple.peripheral.with { host, _ in host.link(couple.peripheralLink)?.server.subscription(to: handle) }
  }

  private func client(_ couple: PairingCouple) -> BondedClient? { couple.bond(couple.peripheral)?.client }

  private func remove(_ placement: GATTServicePlacement, _ couple: PairingCouple) {
    couple.peripheral.with { host, now in host.removeService(at: placement.range, client: couple.device, now: now) }
  }

  /// A service of the layout of `publish` with other characteristics.
  private static let others = GATTServiceDefinition(
    uuid: 0xFFF0,
    characteristics: ([.read, .read, [.read, .notify], [.read, .indicate]] as [GATTProperties]).enumerated().map {
      GATTCharacteristicDefinition(
        uuid: BluetoothUUID(UInt16(0xFFA1 + $0.offset)), properties: $0.element, permissions: [.readable, .writeable])
    })

  // MARK: Links that close

  @Test("is what it knew when its link began to close: it hears of no change any more") func closing() throws {
    let (couple, _) = try bonded()
    let (old, new) = try couple.peripheral.with { host, now in
      let old = host.database.hash
      let link = try #require(host.links.first)
      host.close(link, now: now)
      _ = try host.addService(GATTServiceDefinition(uuid: 0xFFE0), client: couple.device, now: now)
      return (old, host.database.hash)
    }
    couple.stage.wait { couple.peripheral.with { host, _ in host.links.isEmpty } }
    #expect(client(couple)?.knownHash == old)
    #expect(old != new)
    // So it is told on its next link.
    try couple.connect()
    couple.stage.advance(.seconds(1))
    let isAware = couple.peripheral.with { host, _ in host.link(couple.peripheralLink)?.server.awareness.isAware }
    #expect(isAware == false)
  }

  @Test("is kept as its link begins to close, not of what has its handles at the end") func closingSubscribed() throws {
    let (couple, placement) = try bonded()
    subscribe(couple, .notifying, of: placement)
    let kept = BondedClient.Configuration(valueHandle: placement[.notifying], uuid: 0xFFF3, bits: 1)
    let again = try couple.peripheral.with { host, now in
      let link = try #require(host.links.first)
      host.close(link, now: now)
      let stored = host.bond(with: couple.central.address)?.client?.configurations
      #expect(stored == [kept])
      host.removeService(at: placement.range, client: couple.device, now: now)
      return try host.addService(Self.others, client: couple.device, now: now)
    }
    #expect(again.valueHandles.contains(placement[.notifying]))
    couple.stage.wait { couple.peripheral.with { host, _ in host.links.isEmpty } }
    #expect(client(couple)?.configurations == [kept])
  }

  // MARK: Bonds

  @Test("does not go to a bond that took the place of its own") func replacedBond() throws {
    let (couple, placement) = try bonded()
    var other = try #require(couple.bond(couple.peripheral))
    let key = try #require(SecurityKey(Array(1...16)))
    for path in [\Bond.keyAsCentral, \Bond.keyAsPeripheral] {
      let old = other[keyPath: path]
      other[keyPath: path] = old.map {
        LongTermKey(
          key: key, size: 16, isAuthenticated: $0.isAuthenticated, isSecureConnections: $0.isSecureConnections)
      }
    }
    other.client = nil
    let isAdded = couple.peripheral.with { host, _ in host.addBond(other) }
    #expect(isAdded)
    _ = couple.stage.simulation.dequeueBondChanges(of: couple.peripheral.node)
    subscribe(couple, .notifying, of: placement)
    couple.stage.advance(Host.clientSaveDelay)
    #expect(couple.bond(couple.peripheral) == other)
    subscribe(couple, .indicating, of: placement)
    couple.disconnect()
    #expect(couple.bond(couple.peripheral) == other)
    #expect(couple.stage.simulation.dequeueBondChanges(of: couple.peripheral.node).isEmpty)
  }

  // MARK: Numbers

  /// Publishes one service with so many values that notify.
  private func publish(_ count: Int, _ couple: PairingCouple) throws -> GATTServicePlacement {
    let definition = GATTServiceDefinition(
      uuid: 0xFFE0,
      characteristics: (0..<count).map {
        GATTCharacteristicDefinition(
          uuid: BluetoothUUID(UInt16(0xEE00 + $0)), properties: [.read, .notify], permissions: [.readable, .writeable])
      })
    return try couple.peripheral.with { host, now in try host.addService(definition, client: couple.device, now: now) }
  }

  private func subscribe(_ couple: PairingCouple, _ handles: some Sequence<AttributeHandle>) {
    for handle in handles {
      let outcome = couple.central.run(.write(handle + 1, [1, 0]), couple.app, couple.link)
      #expect(outcome?.isWritten == true)
    }
  }

  @Test("are its 64 newest subscriptions, where it has more") func manySubscriptions() throws {
    let (couple, _) = try bonded()
    let handles = try publish(70, couple).valueHandles
    // From the last handle to the first: new is what was set late.
    subscribe(couple, handles.reversed())
    couple.disconnect()
    let kept = Array(handles.reversed().suffix(BondedClient.mostConfigurations))
    #expect(client(couple)?.configurations.map(\.valueHandle) == kept)
    try couple.connect()
    couple.stage.advance(.seconds(1))
    #expect(subscription(couple, handles[0]) == .notifications)
    #expect(subscription(couple, handles[63]) == .notifications)
    #expect(subscription(couple, handles[64]) == Subscription.none)
  }

  @Test("loses subscriptions of services that are gone, where it has too many others") func manyOldSubscriptions()
    throws
  {
    let (couple, _) = try bonded()
    let gone = try publish(60, couple)
    subscribe(couple, gone.valueHandles)
    remove(gone, couple)
    #expect(client(couple)?.configurations.map(\.valueHandle) == gone.valueHandles)
    let there = try couple.peripheral.publish(couple.device, uuid: 0xFFE1)
    let (first, second) = (there[.notifying], there[.other])
    let more = try publish(10, couple).valueHandles
    subscribe(couple, [first, second] + more)
    couple.disconnect()
    let kept = try #require(client(couple)?.configurations)
    #expect(kept.count == BondedClient.mostConfigurations)
    #expect(kept.prefix(12).map(\.valueHandle) == [first, second] + more)
    #expect(Set(kept.dropFirst(12).map(\.valueHandle)).isSubset(of: gone.valueHandles))
  }

  // MARK: Services that come back

  @Test("is in force again as soon as its service comes back on the same link, and is kept at its end")
  func serviceComesBack() throws {
    let (couple, placement) = try bonded()
    subscribe(couple, .notifying, of: placement)
    subscribe(couple, .indicating, of: placement)
    couple.peripheral.clearLog()
    remove(placement, couple)
    #expect(subscription(couple, placement[.notifying]) == Subscription.none)
    #expect(try couple.peripheral.publish(couple.device).range == placement.range)
    #expect(subscription(couple, placement[.notifying]) == .notifications)
    #expect(subscription(couple, placement[.indicating]) == .indications)
    #expect(subscription(couple, placement[.other]) == Subscription.none)
    #expect(couple.peripheral.heard(couple.device) == ["1 wants notifications", "1 wants indications"])
    let configurations = [placement[.notifying], placement[.indicating]]
    couple.disconnect()
    #expect(client(couple)?.configurations.map(\.valueHandle) == configurations)
    try couple.connect()
    couple.stage.advance(.seconds(1))
    #expect(subscription(couple, placement[.notifying]) == .notifications)
    #expect(subscription(couple, placement[.indicating]) == .indications)
  }

  @Test("is not in force again where it was turned off before its service went") func turnedOff() throws {
    let (couple, placement) = try bonded()
    subscribe(couple, .notifying, of: placement)
    couple.stage.advance(Host.clientSaveDelay)
    subscribe(couple, .notifying, of: placement, enabled: false)
    remove(placement, couple)
    #expect(try couple.peripheral.publish(couple.device).range == placement.range)
    #expect(subscription(couple, placement[.notifying]) == Subscription.none)
    couple.disconnect()
    #expect(client(couple)?.configurations == [])
  }

  @Test("is not in force again where it was just turned off, when another service comes") func turnedOffElsewhere()
    throws
  {
    let (couple, placement) = try bonded()
    subscribe(couple, .notifying, of: placement)
    couple.stage.advance(Host.clientSaveDelay)
    subscribe(couple, .notifying, of: placement, enabled: false)
    // The change waits to be stored.
    #expect(client(couple)?.configurations.map(\.valueHandle) == [placement[.notifying]])
    _ = try couple.peripheral.publish(couple.device, uuid: 0xFFE0)
    #expect(subscription(couple, placement[.notifying]) == Subscription.none)
  }

  @Test("is no subscription to other characteristics that come in place of its own, and waits for those")
  func otherService() throws {
    let (couple, placement) = try bonded()
    subscribe(couple, .notifying, of: placement)
    remove(placement, couple)
    couple.peripheral.clearLog()
    let other = try couple.peripheral.with { host, now in
      try host.addService(Self.others, client: couple.device, now: now)
    }
    #expect(other.valueHandles.contains(placement[.notifying]))
    #expect(other.valueHandles.allSatisfy { subscription(couple, $0) == Subscription.none })
    #expect(couple.peripheral.heard(couple.device) == [])
    remove(other, couple)
    #expect(try couple.peripheral.publish(couple.device).range == placement.range)
    #expect(subscription(couple, placement[.notifying]) == .notifications)
  }

  @Test("concerns no link in clear, and no other peer, when its service comes back") func otherLinks() throws {
    let (couple, placement) = try bonded()
    subscribe(couple, .notifying, of: placement)
    couple.disconnect()
    // The central does not encrypt without its key.
    let peer = couple.peripheral.address
    _ = couple.central.with { host, now in host.removeBond(with: peer, now: now) }
    try couple.connect()
    let stranger = couple.stage.addActor(3)
    let app = stranger.addClient()
    stranger.connect(app, to: couple.peripheral)
    couple.stage.wait { stranger.link(app) != nil }
    remove(placement, couple)
    #expect(try couple.peripheral.publish(couple.device).range == placement.range)
    let subscribed = couple.peripheral.with { host, _ in
      host.links.filter { $0.server.subscription(to: placement[.notifying]) != .none }.count
    }
    #expect(subscribed == 0)
    #expect(couple.peripheral.with { host, _ in host.links.count } == 2)
    #expect(client(couple)?.configurations.map(\.valueHandle) == [placement[.notifying]])
  }

  /// It would take them for values of the database that it knows.
  @Test("causes no values to a client that was not told of the changes") func outOfStep() throws {
    let (couple, placement) = try bonded()
    #expect(couple.central.run(.write(11, [1]), couple.app, couple.link)?.isWritten == true)
    subscribe(couple, .notifying, of: placement)
    remove(placement, couple)
    #expect(try couple.peripheral.publish(couple.device).range == placement.range)
    #expect(subscription(couple, placement[.notifying]) == Subscription.none)
    // The refusal tells it, and its next request makes it aware.
    _ = couple.read(couple.plain)
    #expect(couple.read(couple.plain)?.value == [0x50])
    #expect(subscription(couple, placement[.notifying]) == .notifications)
  }
}
