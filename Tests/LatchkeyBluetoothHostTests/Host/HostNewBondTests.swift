import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// What a host makes of a new bond, and of what it knew of the peer before.
@Suite("Hosts with a new bond") struct HostNewBondTests {
  /// A bond of the peripheral with its central, which knows nothing of it.
  private func foreignBond(_ couple: PairingCouple, authenticated: Bool) throws -> Bond {
    var bond = Bond(identity: couple.central.address, isPersistent: true)
    bond.keyAsPeripheral = LongTermKey(
      key: try #require(SecurityKey(Array(1...16))), size: 16, isAuthenticated: authenticated, isSecureConnections: true
    )
    return bond
  }

  /// Pairs anew on the link, by two users.
  private func pairAnew(_ couple: PairingCouple) throws {
    couple.ask(.displayYesNo, couple.central, couple.app)
    couple.ask(.displayYesNo, couple.peripheral, couple.device)
    let request = couple.begin(couple.personal)
    for actor in [couple.central, couple.peripheral] {
      _ = try couple.question(actor)
      try couple.answer(.accept, actor)
    }
    #expect(couple.wait(for: request)?.value == [0x52])
  }

  @Test("do not store one that is weaker than the stored one, say so, and keep nothing of its client") func weaker()
    throws
  {
    let couple = try PairingCouple()
    couple.disconnect()
    let placement = try couple.peripheral.publish(couple.device)
    try couple.connect()
    // It is stored while the link is up, so that the pairing has nothing to compare.
    let strong = try foreignBond(couple, authenticated: true)
    couple.peripheral.with { host, _ in _ = host.addBond(strong) }
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.pairings(couple.peripheral) == ["pairing with 1: not stored"])
    let notices = couple.stage.simulation.dequeueNotices(of: couple.peripheral.node)
    #expect(notices == [.weakerBond(couple.central.address)])
    let outcome = couple.central.configure(.notifying, of: placement, enabled: true, couple.app, couple.link)
    #expect(outcome?.isWritten == true)
    couple.stage.advance(Host.clientSaveDelay + .seconds(1))
    couple.disconnect()
    #expect(couple.bond(couple.peripheral) == strong)
  }

  @Test("report the bond that goes, where the peer proves another identity than before") func replaced() throws {
    let own = try #require(SecurityKey(Array(2...17)))
    let identity = BluetoothAddress.staticRandom(0x77)
    let onAir = try #require(PairingCryptography.resolvableAddress(prand: 0x1234, with: own))
    let couple = try PairingCouple(
      identities: (PairingIdentity(address: identity, resolvingKey: own), nil), centralAddress: onAir)
    let (old, database) = (try foreignBond(couple, authenticated: false), KnownDatabase(hash: couple.hash))
    #expect(old.identity == onAir)
    couple.peripheral.with { host, _ in
      _ = host.addBond(old)
      host.databases[onAir] = database
    }
    #expect(couple.read(couple.secret)?.value == [0x51])
    let changes = couple.stage.simulation.dequeueBondChanges(of: couple.peripheral.node)
    #expect(changes.map(\.identity) == [identity, onAir])
    #expect(changes.first?.bond?.knownAddress == onAir && changes.last?.bond == nil)
    #expect(couple.peripheral.with { host, _ in host.bondedPeers } == [identity])
    #expect(couple.peripheral.with { host, _ in host.databases[onAir] == nil })
  }

  @Test("know at which address the peer is to be reached that paired under a private one") func privateAddress() throws
  {
    let couple = try PairingCouple(
      identities: (try PairingIdentity.of(1), try PairingIdentity.of(2)), isPrivate: true)
    #expect(couple.read(couple.secret)?.value == [0x51])
    let bond = try #require(couple.bond(couple.central))
    let (onAir, known) = couple.central.with { host, _ in
      (host.links.first?.peerAddress, host.bonds.address(of: bond.knownAddress))
    }
    #expect(onAir?.isResolvable == true && known == onAir)
  }

  // MARK: The peer's database

  private func database(_ couple: PairingCouple) -> KnownDatabase? {
    couple.central.with { host, _ in host.databases[couple.peripheral.address] }
  }

  @Test("keep what is discovered on the link on which they paired") func discoveredAfterwards() throws {
    let couple = try PairingCouple()
    #expect(couple.read(couple.secret)?.value == [0x51])
    guard case .services? = couple.central.run(.discoverServices(nil), couple.app, couple.link) else {
      return #expect(Bool(false), "no services")
    }
    couple.disconnect()
    #expect(database(couple)?.hash == couple.hash)
  }

  @Test("forget what they knew of the database when they pair anew on an encrypted link") func knownDatabase() throws {
    let couple = try PairingCouple()
    #expect(couple.read(couple.secret)?.value == [0x51])
    _ = couple.central.run(.discoverServices(nil), couple.app, couple.link)
    couple.disconnect()
    try couple.connect()
    couple.stage.advance(.seconds(1))
    let known = { couple.central.with { host, _ in host.links.first?.client.knownDatabase } }
    #expect(database(couple) != nil && known() != nil)
    try pairAnew(couple)
    #expect(database(couple) == nil && known() == nil)
  }

  // MARK: Removal

  @Test("have no key for a link any more whose bond was removed, and say so") func noKeyAnyMore() throws {
    let couple = try PairingCouple(nil, PairingPolicy())
    couple.disconnect()
    let bond = try foreignBond(couple, authenticated: false)
    couple.peripheral.with { host, _ in _ = host.addBond(bond) }
    try couple.connect()
    #expect(couple.read(couple.secret)?.failure == .refused(.insufficientEncryption, handle: couple.secret))
    #expect(couple.peripheral.with { host, now in host.removeBond(with: bond.identity, now: now) })
    #expect(couple.read(couple.secret)?.failure == .refused(.insufficientAuthentication, handle: couple.secret))
  }

  @Test("seek a device no longer that has private addresses, once its bond is removed") func soughtNoMore() throws {
    let couple = try PairingCouple(
      identities: (try PairingIdentity.of(1), try PairingIdentity.of(2)), isPrivate: true)
    #expect(couple.read(couple.secret)?.value == [0x51])
    let bond = try #require(couple.bond(couple.central))
    couple.disconnect()
    couple.peripheral.with { host, now in host.stopAdvertising(couple.device, now: now) }
    couple.central.with { host, now in _ = host.connect(couple.app, to: bond.knownAddress, now: now) }
    couple.stage.advance(.seconds(1))
    #expect(couple.central.with { host, _ in host.scanner.seeksPeers })
    #expect(couple.central.with { host, now in host.removeBond(with: bond.identity, now: now) })
    #expect(!couple.central.with { host, _ in host.scanner.seeksPeers })
  }

  @Test("go on with a pairing whose peer's older bond is removed in the middle of it") func removedWhilePairing() throws
  {
    let couple = try PairingCouple(timing: AirTiming(latency: .milliseconds(10)))
    #expect(couple.read(couple.secret)?.value == [0x51])
    couple.ask(.displayYesNo, couple.central, couple.app)
    couple.ask(.displayYesNo, couple.peripheral, couple.device)
    let request = couple.begin(couple.personal)
    for actor in [couple.central, couple.peripheral] {
      _ = try couple.question(actor)
      try couple.answer(.accept, actor)
    }
    let link = try #require(couple.peripheral.with { host, _ in host.links.first })
    couple.stage.wait { link.pairing?.sessionKey != nil }
    let peer = couple.central.address
    #expect(couple.peripheral.with { host, now in host.removeBond(with: peer, now: now) })
    #expect(couple.wait(for: request)?.value == [0x52])
    #expect(couple.pairings(couple.peripheral).last == "pairing with 1: stored")
  }

  @Test("send nothing in clear when a bond is removed whose key is about to encrypt the link")
  func removedWhileEncrypting()
    throws
  {
    let couple = try PairingCouple()
    #expect(couple.read(couple.secret)?.value == [0x51])
    couple.disconnect()
    var faults = ControllerFaults()
    faults.silentCommands = [0x201A]
    couple.peripheral.setFaults(faults)
    try couple.connect()
    let request = couple.begin(couple.plain)
    let peer = couple.peripheral.address
    #expect(couple.central.with { host, now in host.removeBond(with: peer, now: now) })
    couple.stage.advance(.seconds(1))
    #expect(couple.outcomes().isEmpty)
    #expect(couple.wait(for: request)?.failure == .encryptionFailed)
  }

  @Test("do not encrypt with the key of a bond where they do not pair") func notPairing() throws {
    let couple = try PairingCouple(nil, nil, guards: false)
    couple.disconnect()
    var bond = Bond(identity: couple.peripheral.address, isPersistent: true)
    bond.keyAsCentral = try foreignBond(couple, authenticated: false).keyAsPeripheral
    couple.central.with { host, _ in _ = host.addBond(bond) }
    try couple.connect()
    let isEmpty = couple.central.with { host, _ in host.links.first?.keys.isEmpty }
    #expect(isEmpty == true && couple.read(couple.plain)?.value == [0x50])
  }
}

extension PairingCouple {
  /// The hash of the peripheral's database.
  fileprivate var hash: DatabaseHash { peripheral.with { host, _ in host.database.hash } }
}
