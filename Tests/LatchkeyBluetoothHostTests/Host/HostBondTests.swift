import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("Hosts with a bond") struct HostBondTests {
  private func bonded(secure: Bool = true) throws -> PairingCouple {
    let couple = try PairingCouple(.make(secure: secure), .make(secure: secure))
    #expect(couple.read(couple.secret)?.value == [0x51])
    couple.disconnect()
    return couple
  }

  @Test("encrypt the next link at once, without a pairing", arguments: [true, false]) func reconnect(_ secure: Bool)
    throws
  {
    let couple = try bonded(secure: secure)
    try couple.connect()
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.pairings(couple.central) == [] && couple.pairings(couple.peripheral) == [])
    #expect(couple.security?.isEncrypted == true)
    #expect(couple.security?.usesSecureConnections == secure)
    #expect(couple.central.with { host, _ in host.links.first?.pairing?.session.isPairing } == false)
    // Nothing waits for the encryption any more.
    couple.stage.advance(LinkPairing.encryptionTimeout + .seconds(1))
    #expect(couple.read(couple.secret)?.value == [0x51])
  }

  @Test("encrypt after a restart, with what was stored") func restart() throws {
    let couple = try bonded()
    let own = try #require(couple.bond(couple.central))
    let other = try #require(couple.bond(couple.peripheral))
    let next = try PairingCouple()
    next.disconnect()
    next.central.with { host, _ in _ = host.addBond(own) }
    next.peripheral.with { host, _ in _ = host.addBond(other) }
    try next.connect()
    #expect(next.read(next.secret)?.value == [0x51])
    #expect(next.pairings(next.central) == [])
  }

  @Test("encrypt with the other one's key where their roles are exchanged", arguments: [true, false])
  func exchangedRoles(_ secure: Bool) throws {
    let couple = try bonded(secure: secure)
    let own = try PairingCouple.publish(couple.central, couple.app)
    couple.central.advertise(couple.app)
    couple.peripheral.clearLog()
    couple.peripheral.connect(couple.device, to: couple.central)
    couple.stage.wait { couple.peripheral.link(couple.device) != nil }
    let link = try #require(couple.peripheral.link(couple.device))
    #expect(couple.peripheral.run(.read(own[1]), couple.device, link)?.value == [0x51])
    #expect(couple.pairings(couple.peripheral) == [])
  }

  @Test("send nothing of an app before the link is encrypted") func nothingInClear() throws {
    let couple = try bonded()
    // The controller never encrypts.
    var faults = ControllerFaults()
    faults.silentCommands = [0x2019]
    couple.central.setFaults(faults)
    try couple.connect()
    let request = couple.begin(couple.plain)
    let isWritten = couple.central.with { host, now in
      host.writeCommand([1], to: couple.plain, client: couple.app, link: couple.link, now: now)
    }
    #expect(!isWritten)
    #expect(!couple.central.with { host, _ in host.canSendWriteWithoutResponse(couple.app, on: couple.link) })
    couple.stage.advance(.seconds(1))
    #expect(couple.outcomes().isEmpty)
    #expect(couple.central.heard(couple.app).last == "connected 2 as central")
    // The command is given up, and with it all that waits and comes.
    #expect(couple.wait(for: request)?.failure == .encryptionFailed)
    #expect(couple.read(couple.plain)?.failure == .encryptionFailed)
    #expect(!couple.central.with { host, _ in host.canSendWriteWithoutResponse(couple.app, on: couple.link) })
  }

  @Test("wait 30 s for a controller that begins to encrypt and never ends") func encryptionTimeout() throws {
    let couple = try bonded()
    var faults = ControllerFaults()
    faults.silentCommands = [0x201A]
    couple.peripheral.setFaults(faults)
    try couple.connect()
    let request = couple.begin(couple.secret)
    couple.stage.advance(LinkPairing.encryptionTimeout - .seconds(1))
    #expect(couple.outcomes().isEmpty)
    couple.stage.advance(.seconds(1))
    #expect(couple.outcomes().map(\.request) == [request])
    #expect(couple.read(couple.secret)?.failure == .encryptionFailed)
  }

  @Test("let waiting writers go on once the link is encrypted") func writers() throws {
    let couple = try bonded()
    couple.central.clearLog()
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.wait { couple.central.link(couple.app) != nil }
    let link = try #require(couple.central.link(couple.app))
    // Encryption may have ended before the link was reported.
    let mayWrite = couple.central.with { host, _ in host.canSendWriteWithoutResponse(couple.app, on: link) }
    couple.stage.advance(.seconds(1))
    #expect(mayWrite || couple.central.count(couple.app, "ready to write") == 1)
    #expect(couple.central.with { host, _ in host.canSendWriteWithoutResponse(couple.app, on: link) })
  }

  @Test("say so when a link accepts commands that did not while it was being encrypted") func encryptedLater() throws {
    let couple = try PairingCouple(timing: AirTiming(latency: .milliseconds(10)))
    #expect(couple.read(couple.secret)?.value == [0x51])
    couple.disconnect()
    try couple.connect()
    let mayWrite = { couple.central.with { host, _ in host.canSendWriteWithoutResponse(couple.app, on: couple.link) } }
    #expect(!mayWrite() && couple.security == LinkSecurity())
    couple.stage.advance(.seconds(1))
    #expect(mayWrite() && couple.central.count(couple.app, "ready to write") == 1)
  }

  @Test("report a peer that lost its key, never pair anew by themselves, and retain the bond") func lostKey() throws {
    let couple = try bonded()
    let (address, peer) = (couple.central.address, couple.peripheral.address)
    #expect(couple.peripheral.with { host, now in host.removeBond(with: address, now: now) })
    try couple.connect()
    for handle in [couple.secret, couple.plain] { #expect(couple.read(handle)?.failure == .keyMissing) }
    #expect(couple.pairings(couple.central) == [] && couple.pairings(couple.peripheral) == [])
    #expect(couple.bond(couple.central) != nil)
    #expect(couple.security == LinkSecurity())
    // The peer may ask for security as often as it likes.
    #expect(couple.inject([0x0B, 0x01], to: couple.central) == [[0x05, 0x05]])
    #expect(couple.security == LinkSecurity())
    // Once the bond is removed, the next request pairs, on the same link.
    #expect(couple.central.with { host, now in host.removeBond(with: peer, now: now) })
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.pairings(couple.central) == ["pairing with 2: stored"])
  }

  @Test("pair anew at the request of a central that lost its key") func centralLostKey() throws {
    let couple = try bonded()
    let peer = couple.peripheral.address
    #expect(couple.central.with { host, now in host.removeBond(with: peer, now: now) })
    try couple.connect()
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.pairings(couple.peripheral) == ["pairing with 1: stored"])
    #expect(couple.bond(couple.peripheral)?.keyAsPeripheral == couple.bond(couple.central)?.keyAsCentral)
  }

  @Test("report a removed bond to the store, once") func removal() throws {
    let couple = try bonded()
    let (peer, node) = (couple.peripheral.address, couple.central.node)
    _ = couple.stage.simulation.dequeueBondChanges(of: node)
    #expect(couple.central.with { host, now in host.removeBond(with: peer, now: now) })
    #expect(!couple.central.with { host, now in host.removeBond(with: peer, now: now) })
    let changes = couple.stage.simulation.dequeueBondChanges(of: node)
    #expect(changes.map(\.identity) == [peer] && changes.first?.bond == nil)
  }

  @Test("answer a peripheral's Security Request with the bond's key") func securityRequest() throws {
    let couple = try bonded()
    let bond = try #require(couple.bond(couple.central))
    let peer = couple.peripheral.address
    // Without the bond the link comes up in clear; then it is there.
    couple.central.with { host, now in _ = host.removeBond(with: peer, now: now) }
    try couple.connect()
    couple.central.with { host, _ in _ = host.addBond(bond) }
    #expect(couple.inject([0x0B, 0x01], to: couple.central) == [[0x05, 0x05]])
    couple.disconnect()
    try couple.connect()
    #expect(couple.security?.isEncrypted == true)
    // On the encrypted link there is nothing to do.
    #expect(couple.inject([0x0B, 0x01], to: couple.central) == [])
  }

  @Test("take no weaker pairing in place of a bond", arguments: [true, false]) func downgrade(_ authenticated: Bool)
    throws
  {
    let couple = try PairingCouple()
    couple.disconnect()
    var bond = Bond(identity: couple.central.address, isPersistent: true)
    let key = try #require(SecurityKey(Array(1...16)))
    bond.keyAsPeripheral = LongTermKey(
      key: key, size: 16, isAuthenticated: authenticated, isSecureConnections: !authenticated)
    couple.peripheral.with { host, _ in _ = host.addBond(bond) }
    // The central, or somebody with its address, would pair by Just Works and by legacy pairing.
    try couple.connect()
    let request: [UInt8] = [0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00]
    #expect(couple.inject(request, to: couple.peripheral) == [[0x05, 0x03]])
    #expect(couple.bond(couple.peripheral) == bond)
  }

  @Test("never hand over the bond of another identity that a peer claims") func claimedIdentity() throws {
    let victim = BluetoothAddress.staticRandom(0x77)
    let resolvingKey = try #require(SecurityKey(Array(2...17)))
    let couple = try PairingCouple(
      identities: (PairingIdentity(address: victim, resolvingKey: resolvingKey), nil))
    var bond = Bond(identity: victim, isPersistent: true)
    bond.keyAsPeripheral = LongTermKey(
      key: try #require(SecurityKey(Array(1...16))), size: 16, isAuthenticated: false, isSecureConnections: true)
    couple.peripheral.with { host, _ in _ = host.addBond(bond) }
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.peripheral.with { host, _ in host.bond(with: victim) } == bond)
    #expect(couple.bond(couple.peripheral)?.identity == couple.central.address)
  }

  @Test("keep 256 bonds: one more ends with its link") func fullTable() throws {
    let couple = try PairingCouple()
    couple.peripheral.with { host, _ in
      for number in 0..<BondTable.capacity {
        var bond = Bond(identity: .staticRandom(UInt64(0x1000 + number)), isPersistent: true)
        bond.keyAsPeripheral = SecurityKey(Array(1...16)).map {
          LongTermKey(key: $0, size: 16, isAuthenticated: false, isSecureConnections: true)
        }
        let isAdded = host.addBond(bond)
        #expect(isAdded)
      }
    }
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.pairings(couple.peripheral) == ["pairing with 1: not stored"])
    #expect(
      couple.stage.simulation.dequeueNotices(of: couple.peripheral.node) == [.tooManyBonds(couple.central.address)])
    #expect(couple.peripheral.with { host, _ in host.bond(with: .staticRandom(0x1000)) } != nil)
  }
}

@Suite("The waiting intervals of a host's peers") struct PairingAttemptTableTests {
  private func attempts(_ failures: Int, now: Duration) -> PairingAttempts {
    var attempts = PairingAttempts()
    for _ in 0..<failures { attempts.fail(now: now) }
    return attempts
  }

  @Test("are bounded; those that end first go first") func bounded() {
    var table = PairingAttemptTable()
    for number in 0..<PairingAttemptTable.capacity {
      table.set(attempts(number == 7 ? 1 : 3, now: .zero), for: .staticRandom(UInt64(number)), now: .zero)
    }
    #expect(table.count == PairingAttemptTable.capacity)
    // One that is there needs no room.
    table.set(attempts(4, now: .zero), for: .staticRandom(8), now: .zero)
    #expect(table.count == PairingAttemptTable.capacity && table[.staticRandom(7)].isWaiting(now: .zero))
    table.set(attempts(2, now: .zero), for: .staticRandom(9999), now: .zero)
    #expect(table.count == PairingAttemptTable.capacity)
    #expect(!table[.staticRandom(7)].isWaiting(now: .zero))
    #expect(table[.staticRandom(9999)].isWaiting(now: .zero) && table[.staticRandom(8)].isWaiting(now: .zero))
  }

  @Test("are forgotten in time, and by a success") func forgotten() {
    var table = PairingAttemptTable()
    let peer = BluetoothAddress.staticRandom(1)
    table.set(attempts(2, now: .zero), for: peer, now: .zero)
    #expect(table[peer].isWaiting(now: .seconds(1)))
    table.set(PairingAttempts(), for: peer, now: .seconds(1))
    #expect(table.count == 0)
    for number in 0..<UInt64(PairingAttemptTable.capacity) {
      table.set(attempts(1, now: .zero), for: .staticRandom(number), now: .zero)
    }
    table.set(attempts(1, now: .seconds(700)), for: .staticRandom(9999), now: .seconds(700))
    #expect(table.count == 1)
  }
}
