import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Core 6.0 Vol 3 Part C 10.7.
@Suite("A host with private addresses") struct HostLocalAddressTests {
  /// A scan in which every address is reported as it is on the air.
  private func watch(_ stage: Stage) -> (Actor, ClientID) {
    let watcher = stage.addActor(9)
    let client = watcher.addClient()
    watcher.startScan(client)
    return (watcher, client)
  }

  /// The addresses that a client found, in order.
  private func found(_ actor: Actor, _ client: ClientID) -> [BluetoothAddress] {
    actor.log.compactMap { entry in
      if entry.client == client, case .discovered(let discovery) = entry.event { discovery.address } else { nil }
    }
  }

  @Test("has a new one every 15 minutes, made with its IRK, and none of them names it") func rotation() throws {
    let stage = Stage()
    let identity = try PairingIdentity.of(1)
    let actor = stage.addActor(1, identity: identity, isPrivate: true)
    let (watcher, client) = watch(stage)
    actor.advertise(actor.addClient())
    for minute in [0, 14, 15, 29, 30, 44, 45, 59] {
      stage.advance(.seconds(60 * minute) + .seconds(30) - stage.simulation.now)
      #expect(Set(found(watcher, client)).count == minute / 15 + 1)
    }
    for address in found(watcher, client) {
      #expect(PairingCryptography.resolves(address, with: identity.resolvingKey))
    }
  }

  @Test("keeps its own address where privacy is off, or there is no IRK", arguments: [true, false])
  func off(_ isPrivate: Bool) throws {
    let stage = Stage()
    let identity = try PairingIdentity.of(1)
    let actor = stage.addActor(1, identity: isPrivate ? nil : identity, isPrivate: isPrivate)
    let (watcher, client) = watch(stage)
    actor.advertise(actor.addClient())
    stage.advance(.seconds(3600))
    #expect(found(watcher, client) == [actor.address])
  }

  @Test("pairs under them, and is known under the next ones", arguments: [true, false]) func pairing(_ secure: Bool)
    throws
  {
    let couple = try PairingCouple(
      .make(secure: secure), .make(secure: secure), identities: (PairingIdentity.of(1), PairingIdentity.of(2)),
      isPrivate: true)
    #expect(couple.read(couple.secret)?.value == [0x51])
    let known = try #require(couple.bond(couple.central)?.knownAddress)
    #expect(known.isResolvable && couple.bond(couple.peripheral)?.knownAddress.isResolvable == true)
    let central = couple.bond(couple.peripheral)?.knownAddress
    #expect(couple.bond(couple.peripheral)?.localIdentity?.address == couple.peripheral.address)
    for _ in 0..<3 {
      couple.disconnect()
      let old = (couple.central.onAir, couple.peripheral.onAir)
      couple.stage.advance(.seconds(950))
      #expect(couple.central.onAir != old.0 && couple.peripheral.onAir != old.1)
      try couple.connect()
      #expect(couple.read(couple.secret)?.value == [0x51])
      #expect(couple.central.with { host, _ in host.links.first?.peer } == known)
      #expect(couple.peripheral.with { host, _ in host.links.first?.peer } == central)
      #expect(couple.pairings(couple.central) == [] && couple.pairings(couple.peripheral) == [])
    }
  }

  @Test("pairs over a link that is older than its address", arguments: [true, false]) func oldLink(_ secure: Bool)
    throws
  {
    let couple = try PairingCouple(
      .make(secure: secure), .make(secure: secure), identities: (PairingIdentity.of(1), PairingIdentity.of(2)),
      isPrivate: true)
    couple.stage.advance(.seconds(2000))
    #expect(couple.central.with { host, _ in host.links.first?.localAddress } != couple.central.onAir)
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.bond(couple.central)?.identity == couple.peripheral.address)
  }

  @Test("connects under the address of the hour, however long the connection was pending", arguments: [false, true])
  func pendingConnection(_ scans: Bool) throws {
    let stage = Stage()
    let central = stage.addActor(1, identity: try PairingIdentity.of(1), isPrivate: true)
    let app = central.addClient()
    let absent = stage.addActor(2)
    if scans { central.startScan(app) }
    central.connect(app, to: absent)
    var addresses: Set<BluetoothAddress> = []
    for _ in 0..<8 {
      stage.advance(.seconds(910))
      addresses.insert(central.onAir)
    }
    #expect(addresses.count == 8)
    let device = absent.addClient()
    absent.advertise(device)
    stage.wait { central.link(app) != nil && absent.link(device) != nil }
    #expect(absent.with { host, _ in host.links.first?.peer } == central.onAir)
    #expect(central.with { host, _ in host.links.first?.localAddress } == central.onAir)
  }

  @Test("goes on to scan, and to connect to several devices, where its address changes") func activities() throws {
    let stage = Stage()
    let central = stage.addActor(1, identity: try PairingIdentity.of(1), isPrivate: true)
    let app = central.addClient()
    let devices = (2...4).map { stage.addActor($0) }
    for device in devices { central.connect(app, to: device) }
    central.startScan(app)
    stage.advance(.seconds(4000))
    for device in devices { device.advertise(device.addClient(), name: "Lamp") }
    stage.wait { (2...4).allSatisfy { central.count(app, "connected \($0) as central") == 1 } }
    #expect((2...4).allSatisfy { central.count(app, "found \($0) Lamp") == 1 })
    let before = central.onAir
    stage.advance(.seconds(1000))
    #expect(central.onAir != before && central.with { host, _ in host.links.count } == 3)
  }

  @Test("reports nothing to its clients where its address changes") func silence() throws {
    let stage = Stage()
    let actor = stage.addActor(1, identity: try PairingIdentity.of(1), isPrivate: true)
    let client = actor.addClient()
    actor.advertise(client)
    actor.startScan(client)
    stage.advance(.seconds(4000))
    #expect(actor.heard(client) == ["advertising 00"])
  }

  @Test(
    "keeps the address that the controller has, and tries again, where the next one is refused or not answered",
    arguments: [true, false]) func refused(_ isAnswered: Bool) throws
  {
    let stage = Stage()
    let actor = stage.addActor(1, identity: try PairingIdentity.of(1), isPrivate: true)
    let (watcher, client) = watch(stage)
    actor.advertise(actor.addClient())
    let first = actor.onAir
    var faults = ControllerFaults()
    if isAnswered { faults.refusedCommands = [0x2005: .commandDisallowed] } else { faults.silentCommands = [0x2005] }
    actor.setFaults(faults)
    stage.advance(.seconds(1000))
    #expect(actor.onAir == first && found(watcher, client) == [first])
    actor.setFaults(ControllerFaults())
    stage.advance(.seconds(70))
    #expect(actor.onAir != first && found(watcher, client) == [first, actor.onAir])
  }

  @Test("has another address after a reset, and none of those before") func reset() throws {
    let stage = Stage()
    let actor = stage.addActor(1, identity: try PairingIdentity.of(1), isPrivate: true)
    let first = actor.onAir
    stage.simulation.setPowered(false, actor.node)
    #expect(actor.with { host, _ in host.nextDeadline } == nil)
    stage.simulation.setPowered(true, actor.node)
    #expect(actor.onAir != first && actor.onAir.isResolvable)
  }

  @Test("keeps its own address where the random source is broken") func brokenSource() throws {
    let simulation = Simulation()
    var configuration = HostConfiguration(ownAddress: .staticRandom(1))
    configuration.identity = try PairingIdentity.of(1)
    configuration.usesPrivateAddresses = true
    for source in [{ _ in [] }, { Array(repeating: 0, count: $0) }] as [@Sendable (Int) -> [UInt8]] {
      let node = simulation.addHost(configuration, random: source)
      #expect(simulation.withHost(node) { host, _ in host.localAddress.current } == .staticRandom(1))
      simulation.advance(by: .seconds(200))
      #expect(simulation.withHost(node) { host, _ in host.localAddress.current } == .staticRandom(1))
    }
  }

  @Test("does not get the identity of another device, which it claims with an IRK of its own") func claimedIdentity()
    throws
  {
    let victim = try PairingIdentity.of(0x77)
    let own = try PairingIdentity.of(1)
    let claim = PairingIdentity(address: victim.address, resolvingKey: own.resolvingKey)
    let couple = try PairingCouple(identities: (claim, PairingIdentity.of(2)), isPrivate: true)
    var bond = Bond(identity: victim.address, isPersistent: true)
    bond.keyAsPeripheral = LongTermKey(
      key: try #require(SecurityKey(Array(1...16))), size: 16, isAuthenticated: false, isSecureConnections: true)
    bond.peerResolvingKey = victim.resolvingKey
    couple.peripheral.with { host, _ in _ = host.addBond(bond) }
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.peripheral.with { host, _ in host.bond(with: victim.address) } == bond)
    let onAir = couple.central.onAir
    #expect(couple.peripheral.with { host, _ in host.bond(with: onAir)?.peerResolvingKey } == own.resolvingKey)
    // Its own bond is of use to it all the same.
    couple.disconnect()
    couple.stage.advance(.seconds(950))
    try couple.connect()
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.pairings(couple.peripheral) == [])
  }
}
