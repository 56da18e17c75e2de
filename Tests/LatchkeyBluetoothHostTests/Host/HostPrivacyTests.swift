import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

extension Actor {
  /// The address on the air.
  var onAir: BluetoothAddress { with { host, _ in host.localAddress.current } }

  /// Changes the address on the air. Not while the host advertises, scans or initiates.
  func change(to address: BluetoothAddress) {
    simulation.withRadio { radio, now in
      radio.receive(HCILESetRandomAddress(address: address).packet, from: node, now: now)
    }
  }

  func stopAdvertising(_ client: ClientID) { with { host, now in host.stopAdvertising(client, now: now) } }

  func startScan(_ client: ClientID) {
    with { host, now in host.startScan(client, services: nil, allowDuplicates: false, now: now) }
  }
}

extension ControllerConfiguration {
  /// A controller with a resolving list.
  static func withPrivacy(size: Int = 16) -> ControllerConfiguration {
    ControllerConfiguration(features: .standard.union(.privacy), resolvingListSize: size)
  }
}

extension PairingIdentity {
  /// The identity of an actor.
  static func of(_ number: UInt64) throws -> PairingIdentity {
    let key = try #require(SecurityKey((0..<16).map { UInt8(truncatingIfNeeded: number &+ 31 &* $0) }))
    return PairingIdentity(address: .staticRandom(number), resolvingKey: key)
  }

  /// A private address of it.
  func address(_ prand: UInt32) throws -> BluetoothAddress {
    try #require(PairingCryptography.resolvableAddress(prand: prand, with: resolvingKey))
  }
}

@Suite("Bonded peers with private addresses") struct HostPrivacyTests {
  /// A couple with a bond, not connected; both ends have distributed an IRK. Their controllers may have a resolving list.
  private func bonded(_ hasList: Bool = false, secure: Bool = true) throws -> PairingCouple {
    let couple = try PairingCouple(
      .make(secure: secure), .make(secure: secure), identities: (PairingIdentity.of(1), PairingIdentity.of(2)),
      controller: hasList ? .withPrivacy() : ControllerConfiguration())
    #expect(couple.read(couple.secret)?.value == [0x51])
    couple.disconnect()
    couple.peripheral.stopAdvertising(couple.device)
    couple.central.clearLog()
    couple.peripheral.clearLog()
    return couple
  }

  /// Lets the peripheral advertise under an address.
  private func advertise(_ couple: PairingCouple, _ address: BluetoothAddress, name: String = "Lamp") {
    couple.peripheral.stopAdvertising(couple.device)
    couple.peripheral.change(to: address)
    couple.peripheral.advertise(couple.device, name: name)
  }

  /// Waits for the link that was requested, and reads over it what needs encryption.
  private func expectLink(_ couple: PairingCouple) throws {
    couple.stage.wait { couple.central.link(couple.app) != nil }
    let link = try #require(couple.central.link(couple.app))
    #expect(couple.central.run(.read(couple.secret), couple.app, link)?.value == [0x51])
    #expect(couple.pairings(couple.central) == [] && couple.pairings(couple.peripheral) == [])
  }

  @Test(
    "are found under the address by which clients know them, once, whatever they change to", arguments: [false, true])
  func found(_ hasList: Bool) throws {
    let couple = try bonded(hasList)
    couple.central.startScan(couple.app)
    for number in 1...5 as ClosedRange<UInt32> {
      try advertise(couple, PairingIdentity.of(2).address(number))
      couple.stage.advance(.seconds(2))
    }
    #expect(couple.central.heard(couple.app) == ["found 2 Lamp"])
  }

  @Test(
    "are connected to by that address, and the link is encrypted with the bond's key", arguments: [true, false],
    [false, true])
  func connected(_ secure: Bool, _ hasList: Bool) throws {
    let couple = try bonded(hasList, secure: secure)
    for number in 1...3 as ClosedRange<UInt32> {
      let address = try PairingIdentity.of(2).address(number)
      advertise(couple, address)
      couple.central.connect(couple.app, to: couple.peripheral)
      try expectLink(couple)
      #expect(couple.central.heard(couple.app).first == "connected 2 as central")
      #expect(couple.central.with { host, _ in host.links.first?.peerAddress } == address)
      #expect(couple.central.with { host, _ in host.addressOnAir(of: .staticRandom(2)) } == address)
      couple.disconnect()
      couple.central.clearLog()
    }
  }

  @Test("are connected to when they come back under another address", arguments: [false, true]) func pending(
    _ hasList: Bool
  ) throws {
    let couple = try bonded(hasList)
    try advertise(couple, PairingIdentity.of(2).address(1))
    couple.central.startScan(couple.app)
    couple.stage.advance(.seconds(1))
    couple.central.with { host, now in host.stopScan(couple.app, now: now) }
    couple.peripheral.stopAdvertising(couple.device)
    couple.central.clearLog()
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.advance(.seconds(3600))
    #expect(couple.central.heard(couple.app) == [])
    try advertise(couple, PairingIdentity.of(2).address(2))
    try expectLink(couple)
    // Nobody scans, and nothing is pending.
    #expect(couple.central.with { host, _ in host.scanningInController } == nil)
    #expect(couple.central.with { host, _ in !host.isAnyScanning && !host.scanner.isActive })
  }

  @Test(
    "are connected to where the controller cannot scan and initiate at once", arguments: [true, false], [false, true])
  func sharedRadio(_ isKnown: Bool, _ hasList: Bool) throws {
    let couple = try bonded(hasList)
    var faults = ControllerFaults()
    faults.refusesScanningWhileInitiating = true
    couple.central.setFaults(faults)
    if isKnown { couple.central.with { host, _ in host.capabilities.scansWhileInitiating = false } }
    // It is seen to change its address once, and again while the connection is pending.
    try advertise(couple, PairingIdentity.of(2).address(1))
    couple.central.startScan(couple.app)
    couple.stage.advance(.seconds(1))
    couple.central.with { host, now in host.stopScan(couple.app, now: now) }
    couple.peripheral.stopAdvertising(couple.device)
    couple.central.clearLog()
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.advance(.seconds(20))
    try advertise(couple, PairingIdentity.of(2).address(2))
    try expectLink(couple)
  }

  @Test("are connected to beside others, by the list of the controller", arguments: [false, true]) func list(
    _ hasList: Bool
  ) throws {
    let couple = try bonded(hasList)
    let absent = couple.stage.addActor(9)
    couple.central.connect(couple.app, to: absent)
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.advance(.seconds(10))
    try advertise(couple, PairingIdentity.of(2).address(7))
    try expectLink(couple)
    #expect(couple.central.heard(couple.app).first == "connected 2 as central")
    absent.advertise(absent.addClient())
    couple.stage.wait { couple.central.count(couple.app, "connected 9 as central") == 1 }
  }

  @Test("are known when they connect, and their bond with them", arguments: [false, true]) func centralChanges(
    _ hasList: Bool
  ) throws {
    let couple = try bonded(hasList)
    try couple.central.change(to: PairingIdentity.of(1).address(5))
    couple.peripheral.advertise(couple.device)
    couple.central.connect(couple.app, to: couple.peripheral)
    try expectLink(couple)
    #expect(couple.peripheral.heard(couple.device).contains("connected 1 as peripheral"))
  }

  @Test("are known by the same address after a restart, also where it was a private one", arguments: [false, true])
  func restart(_ hasList: Bool) throws {
    let couple = try bonded(hasList)
    var bond = try #require(couple.bond(couple.central))
    let other = try #require(couple.bond(couple.peripheral))
    let known = try PairingIdentity.of(2).address(1)
    bond.knownAddress = known
    let next = try PairingCouple(
      identities: (PairingIdentity.of(1), PairingIdentity.of(2)),
      controller: hasList ? .withPrivacy() : ControllerConfiguration())
    next.disconnect()
    #expect(next.central.with { host, _ in host.addBond(bond) })
    #expect(next.peripheral.with { host, _ in host.addBond(other) })
    try advertise(next, PairingIdentity.of(2).address(44))
    next.central.clearLog()
    // Nothing was heard of it in this life.
    next.central.with { host, now in _ = host.connect(next.app, to: known, now: now) }
    try expectLink(next)
    let peers = next.central.with { host, _ in host.connectedPeers.map(\.peer) }
    #expect(peers == [known])
    next.central.with { host, now in _ = host.disconnect(next.app, from: known, now: now) }
    next.stage.wait { next.central.with { host, _ in host.links.isEmpty } }
  }

  @Test("have one link: the old one ends where they connect under a new address", arguments: [false, true])
  func replacedLink(_ hasList: Bool) throws {
    let couple = try bonded(hasList)
    couple.peripheral.advertise(couple.device)
    try couple.connect()
    // The central is gone without a word, and back under a new address before the link counts as lost.
    couple.stage.simulation.setPowered(false, couple.central.node)
    couple.stage.simulation.setPowered(true, couple.central.node)
    try couple.central.change(to: PairingIdentity.of(1).address(3))
    couple.peripheral.stopAdvertising(couple.device)
    couple.peripheral.advertise(couple.device)
    couple.central.clearLog()
    couple.peripheral.clearLog()
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.wait { couple.peripheral.link(couple.device) != nil }
    let heard = couple.peripheral.heard(couple.device).filter { $0.contains("connected") }
    #expect(heard.prefix(2) == ["disconnected 1 08", "connected 1 as peripheral"])
  }

  @Test("are strangers once their bond is removed", arguments: [false, true]) func removal(_ hasList: Bool) throws {
    let couple = try bonded(hasList)
    let address = try PairingIdentity.of(2).address(1)
    couple.central.startScan(couple.app)
    advertise(couple, address)
    couple.stage.advance(.seconds(1))
    couple.central.with { host, now in
      host.stopScan(couple.app, now: now)
      _ = host.removeBond(with: .staticRandom(2), now: now)
    }
    couple.central.startScan(couple.app)
    couple.stage.advance(.seconds(1))
    #expect(couple.central.heard(couple.app) == ["found 2 Lamp", "found \(address.value & 0xFF_FFFF_FFFF) Lamp"])
  }

  @Test("are not mistaken for a stranger whose private address another key made", arguments: [false, true])
  func stranger(_ hasList: Bool) throws {
    let couple = try bonded(hasList)
    let address = try PairingIdentity.of(99).address(1)
    couple.central.startScan(couple.app)
    advertise(couple, address)
    couple.stage.advance(.seconds(1))
    #expect(couple.central.heard(couple.app) == ["found \(address.value & 0xFF_FFFF_FFFF) Lamp"])
    couple.central.with { host, now in _ = host.connect(couple.app, to: address, now: now) }
    couple.stage.wait { couple.central.link(couple.app) != nil }
    #expect(couple.central.with { host, _ in host.links.first?.pairing?.bond } == nil)
    #expect(couple.central.with { host, _ in host.links.first?.peer } == address)
  }

  @Test(
    "gain nothing where they replay a private address: without the key nothing is served", arguments: [false, true])
  func replay(_ hasList: Bool) throws {
    let couple = try bonded(hasList)
    let thief = couple.stage.addActor(66, pairing: PairingPolicy())
    let client = thief.addClient()
    let handles = try PairingCouple.publish(thief, client)
    try thief.change(to: PairingIdentity.of(2).address(1))
    thief.advertise(client)
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.wait { couple.central.link(couple.app) != nil }
    let link = try #require(couple.central.link(couple.app))
    #expect(couple.central.run(.read(handles[0]), couple.app, link)?.failure == .keyMissing)
  }

  @Test("are found among 10,000 strangers a second at a bounded cost, 100 bonds or not") func flood() throws {
    let couple = try bonded()
    couple.central.with { host, _ in
      for number in 0..<99 as Range<UInt64> {
        var bond = Bond(identity: .staticRandom(0x1000 + number), isPersistent: true)
        bond.peerResolvingKey = SecurityKey((0..<16).map { UInt8(truncatingIfNeeded: number &* 7 &+ $0 &+ 3) })
        let isAdded = host.addBond(bond)
        #expect(isAdded)
      }
    }
    couple.central.startScan(couple.app)
    couple.stage.advance(.seconds(1))
    func report(_ address: BluetoothAddress) -> LEAdvertisingReport {
      LEAdvertisingReport(eventType: [.legacy, .connectable], address: address, rssi: -40, data: [])
    }
    let peer = try PairingIdentity.of(2).address(1)
    couple.central.with { host, now in
      let before = host.bonds.resolver.computations
      for number in 0..<10_000 as Range<UInt64> {
        host.received([report(BluetoothAddress(0x4000_0000_0000 + number * 0x1_0000_0001, kind: .random))], now: now)
      }
      let (spent, count) = (host.bonds.resolver.computations - before, host.bonds.resolver.count)
      #expect(spent == AddressResolver.computationsPerSecond && count <= AddressResolver.capacity)
      let ignored = host.ignored.reports
      #expect(ignored == 10_000 - AddressResolver.computationsPerSecond / 100)
      // Not now, and never as somebody else.
      host.received([report(peer)], now: now)
      host.received([report(peer)], now: now + .seconds(1))
    }
    #expect(couple.central.heard(couple.app).filter { $0.hasPrefix("found 2 ") } == ["found 2 -"])
    #expect(couple.central.heard(couple.app).last == "found 2 -")
  }
}
