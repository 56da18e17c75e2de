import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("The bonds of a host") struct BondTableTests {
  private let victim = BluetoothAddress.staticRandom(0x77)
  private let thief = BluetoothAddress.staticRandom(0x66)

  private func key(_ number: UInt8) throws -> SecurityKey {
    try #require(SecurityKey((0..<16).map { number &+ 5 &* $0 }))
  }

  private func bond(
    _ identity: BluetoothAddress, irk: UInt8? = nil, known: BluetoothAddress? = nil, isAuthenticated: Bool = false
  ) throws -> Bond {
    var bond = Bond(identity: identity, isPersistent: true)
    bond.keyAsCentral = LongTermKey(
      key: try key(200), size: 16, isAuthenticated: isAuthenticated, isSecureConnections: true)
    bond.peerResolvingKey = try irk.map(key)
    if let known { bond.knownAddress = known }
    return bond
  }

  private func address(_ prand: UInt32, _ irk: UInt8) throws -> BluetoothAddress {
    try #require(PairingCryptography.resolvableAddress(prand: prand, with: try key(irk)))
  }

  private func link(_ address: BluetoothAddress, knownAs peer: BluetoothAddress? = nil) -> Link {
    Link(
      id: LinkID(1), LEConnectionComplete(connectionHandle: 1, role: .peripheral, peer: address),
      local: .staticRandom(1), peer: peer ?? address, preferredMTU: 23, failures: 0, now: .zero)
  }

  private func table(_ bonds: Bond...) -> BondTable {
    var table = BondTable()
    for bond in bonds { #expect(table.insert(bond) == .stored(replaced: nil)) }
    return table
  }

  @Test("have the identity of a peer whose IRK made the link's address, and the address by which it is known")
  func proven() throws {
    let address = try address(1, 3)
    let bond = table().proven(try bond(victim, irk: 3), on: link(address), after: nil)
    #expect(bond.identity == victim && bond.knownAddress == address)
    #expect(bond.peerResolvingKey == (try key(3)))
  }

  @Test("do not have the identity that a peer claims whose IRK made another address, or none") func claimed() throws {
    let address = try address(1, 3)
    for irk in [nil, 4] as [UInt8?] {
      let bond = table().proven(try bond(victim, irk: irk), on: link(address), after: nil)
      #expect(bond.identity == address && bond.knownAddress == address)
    }
    let bond = table().proven(try bond(victim, irk: 3), on: link(thief), after: nil)
    #expect(bond.identity == thief)
  }

  @Test(
    "do not have the identity of another peer, with an IRK that is not that peer's", arguments: [nil, 5] as [UInt8?])
  func anothers(_ irk: UInt8?) throws {
    let table = table(try bond(victim, irk: irk))
    let address = try address(1, 3)
    let bond = table.proven(try bond(victim, irk: 3), on: link(address), after: nil)
    #expect(bond.identity == address)
    // What it proved is its own IRK.
    #expect(bond.peerResolvingKey == (try key(3)))
  }

  @Test("do not have the IRK of another peer, which everybody knows who paired with it") func anothersKey() throws {
    let table = table(try bond(victim, irk: 3))
    let bond = table.proven(try bond(thief, irk: 3), on: link(thief), after: nil)
    #expect(bond.identity == thief && bond.peerResolvingKey == nil)
  }

  @Test("retain identity and IRK where the peer pairs anew, whatever it says then", arguments: [nil, 3, 4] as [UInt8?])
  func pairedAnew(_ irk: UInt8?) throws {
    let known = try address(1, 3)
    let old = try bond(victim, irk: 3, known: known)
    let table = table(old)
    for claim in [victim, thief] {
      let bond = table.proven(try bond(claim, irk: irk), on: link(try address(2, 3), knownAs: known), after: old)
      #expect(bond.identity == victim && bond.knownAddress == known)
      #expect(bond.peerResolvingKey == (try key(3)))
    }
  }

  @Test("are one for each peer: with its new identity the old bond goes") func onePeer() throws {
    let known = try address(1, 3)
    var table = table(try bond(known))
    #expect(table.insert(try bond(victim, irk: 3, known: known)) == .stored(replaced: known))
    #expect(table.allIdentities == [victim])
    #expect(table.bond(of: known)?.identity == victim && table[known] == nil)
    #expect(table.peer(at: try address(2, 3), now: nil) == known)
    #expect(table.insert(try bond(victim, irk: 3, known: known)) == .stored(replaced: nil))
  }

  @Test("are not replaced by a weaker one, whichever name it shares") func weaker() throws {
    let known = try address(1, 3)
    var table = table(try bond(victim, irk: 3, known: known, isAuthenticated: true))
    #expect(table.insert(try bond(victim)) == .weaker)
    #expect(table.insert(try bond(thief, known: known)) == .weaker)
    #expect(table.bond(of: known)?.identity == victim && table.allIdentities == [victim])
  }

  @Test("name a device by one address: on the air it has its last one") func addresses() throws {
    let known = try address(1, 3)
    var table = table(try bond(victim, irk: 3, known: known))
    #expect(table.address(of: known) == victim && table.changesAddress(known))
    #expect(table.peer(at: victim, now: nil) == known)
    #expect(!table.note(victim, of: known) && !table.changesAddress(known) && table.mayChangeAddress(known))
    let next = try address(2, 3)
    #expect(table.note(next, of: known) && table.address(of: known) == next && table.changesAddress(known))
    let isNews = table.note(next, of: known)
    #expect(!isNews)
    // Strangers are named by their addresses, and nothing is noted of them.
    #expect(!table.note(next, of: thief) && table.address(of: thief) == thief && !table.changesAddress(thief))
    #expect(table.peer(at: thief, now: nil) == thief)
    #expect(table.remove(victim) != nil && table.remove(victim) == nil)
    #expect(table.address(of: known) == known && table.peer(at: next, now: nil) == next && table.isEmpty)
  }

  @Test("know the address on the air where the controller has resolved it") func resolvedByController() throws {
    let onAir = try address(1, 3)
    var event = LEConnectionComplete(connectionHandle: 1, role: .central, peer: victim)
    #expect(event.peerOnAir == victim)
    event.resolvableAddresses = .init()
    #expect(event.peerOnAir == victim)
    event.resolvableAddresses = .init(peer: onAir)
    #expect(event.peerOnAir == onAir && event.localOnAir == nil)
    event.resolvableAddresses = .init(local: onAir)
    #expect(event.peerOnAir == victim && event.localOnAir == onAir)
  }

  @Test("are as many as fit: a peer's new one takes the place of its old one") func capacity() throws {
    var table = BondTable()
    for number in 1...UInt64(BondTable.capacity) {
      #expect(table.insert(try bond(.staticRandom(number))) == .stored(replaced: nil))
    }
    let other = try bond(.staticRandom(9999))
    #expect(table.insert(other) == .full)
    #expect(table.insert(try bond(.staticRandom(1))) == .stored(replaced: nil))
    // What is kept of a peer makes no bond.
    table.update(other)
    #expect(table[other.identity] == nil && table.allIdentities.count == BondTable.capacity)
  }

  @Test("take the peer's last address with them") func lastAddress() throws {
    let known = try address(1, 3)
    let bond = try bond(victim, irk: 3, known: known)
    var table = table(bond)
    #expect(table.note(try address(2, 3), of: known))
    #expect(table.remove(victim) != nil)
    var resolver = table.resolver
    #expect(resolver.resolve(try address(2, 3), now: nil) == .stranger)
    #expect(table.insert(bond) == .stored(replaced: nil))
    #expect(table.address(of: known) == victim)
    // With another name the one of before is nobody's.
    #expect(table.remove(victim) != nil)
    #expect(table.insert(try self.bond(victim, irk: 3, known: try address(5, 3))) == .stored(replaced: nil))
    #expect(table.bond(of: known) == nil)
  }

  @Test("have the IRK of now where the peer pairs anew under its identity address") func newKey() throws {
    let old = try bond(victim, irk: 3)
    let bond = table(old).proven(try bond(victim, irk: 4), on: link(victim), after: old)
    #expect(bond.identity == victim)
    #expect(bond.peerResolvingKey == (try key(4)))
    // The bond that had another identity is its own: nobody else has the IRK.
    let known = try address(1, 3)
    let renamed = table(try self.bond(known, irk: 3)).proven(
      try self.bond(victim, irk: 3), on: link(try address(2, 3), knownAs: known), after: nil)
    #expect(renamed.identity == victim)
    #expect(renamed.peerResolvingKey == (try key(3)))
  }

  @Test("are weaker by each property of their keys, in whichever role those serve") func weakness() throws {
    let strong = LongTermKey(key: try key(1), size: 16, isAuthenticated: true, isSecureConnections: true)
    var unauthenticated = strong
    unauthenticated.isAuthenticated = false
    var legacy = strong
    legacy.isSecureConnections = false
    var short = strong
    short.size = 15
    #expect(!strong.isWeaker(than: strong))
    var old = Bond(identity: victim, isPersistent: true)
    var new = old
    #expect(!new.isWeaker(than: old))
    old.keyAsPeripheral = strong
    #expect(new.isWeaker(than: old) && !old.isWeaker(than: new))
    for weak in [unauthenticated, legacy, short] {
      #expect(weak.isWeaker(than: strong) && !strong.isWeaker(than: weak))
      new.keyAsCentral = weak
      #expect(new.isWeaker(than: old) && !old.isWeaker(than: new))
    }
  }
}
