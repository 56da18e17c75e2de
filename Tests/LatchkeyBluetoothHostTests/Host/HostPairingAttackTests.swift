import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Attacks on whole hosts: what a device does that has the address of a bonded one, names its identity, or asks for keys that
/// it has not earned. Those on one pairing are in `PairingAttackTests` and `PairingRefusalTests`.
@Suite("Hosts whose pairing is attacked") struct HostPairingAttackTests {
  // MARK: Zero keys

  /// Opcodes of the answers to a Long Term Key Request.
  private static let key: UInt16 = 0x201A
  private static let noKey: UInt16 = 0x201B

  /// Gives the peripheral's host a Long Term Key Request with the numbers of a key of Secure Connections, and returns the
  /// opcode of its answer, which the controller never sees.
  private func keyAnswer(_ couple: PairingCouple) -> UInt16? {
    couple.peripheral.with { host, now -> UInt16? in
      guard let handle = host.links.first?.handle.rawValue else { return nil }
      let numbers = [UInt8](repeating: 0, count: 10)
      host.receive([0x04, 0x3E, 0x0D, 0x05, UInt8(handle), 0x00] + numbers, now: now)
      var opcode: UInt16?
      for case .packet(let packet) in host.dequeueOutputs() where packet.first == 0x01 {
        opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
        host.receive([0x04, 0x0E, 0x06, 0x01, packet[1], packet[2], 0x00, UInt8(handle), 0x00], now: now)
      }
      return opcode
    }
  }

  @Test("give no key to a central that encrypts before it has proved its own (zero LTK)", arguments: [true, false])
  func earlyEncryption(_ secure: Bool) throws {
    let policy = PairingPolicy.make(secure: secure)
    let couple = try PairingCouple(policy, policy)
    #expect(keyAnswer(couple) == Self.noKey)
    var attacker = PairingSession(
      role: .central, local: couple.central.address, peer: couple.peripheral.address, policy: policy,
      random: RepeatableBytes(77).source)
    var pdus = attacker.begin(now: .zero).pdus
    var codes: [UInt8] = []
    while !pdus.isEmpty, codes.count < 10 {
      let pdu = pdus.removeFirst()
      codes.append(pdu[0])
      let answers = couple.inject(pdu, to: couple.peripheral)
      // The proof is the DHKey Check, or the opened commitment of legacy pairing.
      let hasProved = pdu[0] == (secure ? 0x0D : 0x04)
      #expect(keyAnswer(couple) == (hasProved ? Self.key : Self.noKey), "after \(pdu[0])")
      for answer in answers {
        let outputs = attacker.receive(ByteReader(answer), now: .zero)
        pdus += outputs.pdus
        for case .ask in outputs { pdus += attacker.answer(.accept, now: .zero).pdus }
      }
    }
    #expect(codes == (secure ? [0x01, 0x0C, 0x04, 0x0D] : [0x01, 0x03, 0x04]))
  }

  // MARK: Frames

  @Test("begin no pairing by frames that are shorter or longer than they say (SweynTooth)") func truncatedFrames()
    throws
  {
    let couple = try PairingCouple()
    let request: [UInt8] = [0x01, 0x03, 0x00, 0x09, 0x10, 0x01, 0x01]
    func receive(_ length: Int, _ bytes: ArraySlice<UInt8>, flags: UInt8 = 0x20) -> [[UInt8]] {
      couple.capture(couple.peripheral) { host, handle, now in
        let header = flags == 0x20 ? [UInt8(length), 0, 6, 0] : []
        let count = UInt8(header.count + bytes.count)
        host.receive([0x02, handle, flags, count, 0] + header + bytes, now: now)
      }
    }
    for count in request.indices { #expect(receive(request.count, request[..<count]).isEmpty) }
    for length in request.indices { #expect(receive(length, request[...]).isEmpty) }
    // The rest of a frame whose start was dropped; then a public key that does not come to its end.
    #expect(receive(0, request[...], flags: 0x10).isEmpty)
    #expect(receive(65, ([0x0C] + request)[...]).isEmpty)
    #expect(receive(0, request[...], flags: 0x10).isEmpty)
    #expect(couple.pairings(couple.peripheral).isEmpty)
    #expect(couple.peripheral.with { host, _ in host.links.first?.pairing?.session.isPairing } != true)
    #expect(receive(request.count, request[...]).map(\.first) == [0x02])
  }

  @Test("answer no step of a pairing that has ended, and lose neither key nor bond by it") func stepsAfterTheEnd()
    throws
  {
    let couple = try PairingCouple()
    #expect(couple.read(couple.secret)?.value == [0x51])
    let (bond, other) = (couple.bond(couple.central), couple.bond(couple.peripheral))
    let (security, otherSecurity) = (couple.security, couple.peripheralSecurity)
    for code in SMPCode.allCases where ![.pairingRequest, .securityRequest].contains(code) {
      for actor in [couple.central, couple.peripheral] {
        #expect(couple.inject(PairingOrderTests.sample(code), to: actor) == [])
      }
    }
    #expect(bond != nil && couple.bond(couple.central) == bond && couple.bond(couple.peripheral) == other)
    #expect(couple.security == security && couple.peripheralSecurity == otherSecurity)
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.pairings(couple.central).count == 1 && couple.pairings(couple.peripheral).count == 1)
  }

  // MARK: Impostors

  /// A couple whose peripheral has a bond with the central's address; the central, an impostor, knows nothing of it.
  private func impostor(
    _ peripheral: PairingPolicy = PairingPolicy(), asCentral: Bool = false, authenticated: Bool = false
  ) throws -> (couple: PairingCouple, bond: Bond) {
    let couple = try PairingCouple(PairingPolicy(), peripheral)
    couple.disconnect()
    var bond = Bond(identity: couple.central.address, isPersistent: true)
    let key = LongTermKey(
      key: try #require(SecurityKey(Array(1...16))), size: 16, isAuthenticated: authenticated, isSecureConnections: true
    )
    if asCentral { bond.keyAsCentral = key } else { bond.keyAsPeripheral = key }
    couple.peripheral.with { host, _ in _ = host.addBond(bond) }
    try couple.connect()
    return (couple, bond)
  }

  @Test("serve nothing protected to a central with the address of a bonded one, and take no weaker bond (BIAS)")
  func impostorReads() throws {
    let (couple, bond) = try impostor(authenticated: true)
    for handle in [couple.secret, couple.personal] {
      #expect(couple.read(handle)?.failure == .refused(.insufficientEncryption, handle: handle))
    }
    #expect(couple.pairings(couple.central).allSatisfy { $0 == "pairing with 2: peer refused 03" })
    #expect(couple.pairings(couple.central).count == 2)
    #expect(couple.bond(couple.peripheral) == bond)
    #expect(couple.peripheralSecurity == LinkSecurity())
  }

  @Test("demand no less of a device in the role for which its bond has no key (BIAS)", arguments: [true, false])
  func otherRole(_ asCentral: Bool) throws {
    let (couple, bond) = try impostor(asCentral: asCentral, authenticated: true)
    // Just Works and legacy pairing.
    let request: [UInt8] = [0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00]
    #expect(couple.inject(request, to: couple.peripheral) == [[0x05, 0x03]])
    #expect(couple.bond(couple.peripheral) == bond)
  }

  @Test("take no shorter key in place of a bond's, although short ones are accepted (KNOB)") func shorterKey() throws {
    let (couple, bond) = try impostor(.make { $0.leastKeySize = 7 })
    for size in 7...15 as ClosedRange<UInt8> {
      #expect(couple.inject([0x01, 0x03, 0x00, 0x09, size, 0x00, 0x00], to: couple.peripheral) == [[0x05, 0x06]])
    }
    #expect(couple.bond(couple.peripheral) == bond)
  }

  // MARK: Identities

  private static let victim = BluetoothAddress.staticRandom(0x77)

  /// A resolvable private address of an IRK (Vol 3 Part C 10.8.2.2).
  private static func privateAddress(_ key: SecurityKey) throws -> BluetoothAddress {
    let prand: UInt32 = 0x40_1234
    let hash = try PairingCryptography.ah(k: key, prand: prand)
    return BluetoothAddress(UInt64(prand) << 24 | UInt64(hash), kind: .random)
  }

  /// A couple whose central has a private address of its own IRK, and names the victim's identity.
  private func claimant(bond resolvingKey: SecurityKey?, own: SecurityKey) throws -> (
    couple: PairingCouple, bond: Bond
  ) {
    let couple = try PairingCouple(
      identities: (PairingIdentity(address: Self.victim, resolvingKey: own), nil),
      centralAddress: try Self.privateAddress(own))
    var bond = Bond(identity: Self.victim, isPersistent: true)
    bond.keyAsPeripheral = LongTermKey(
      key: try #require(SecurityKey(Array(1...16))), size: 16, isAuthenticated: false, isSecureConnections: true)
    bond.peerResolvingKey = resolvingKey
    if resolvingKey != nil { couple.peripheral.with { host, _ in _ = host.addBond(bond) } }
    #expect(couple.read(couple.secret)?.value == [0x51])
    return (couple, bond)
  }

  @Test("keep the bond of an identity that a device claims, whose private address only shows that its IRK is its own")
  func claimedIdentity() throws {
    let own = try #require(SecurityKey(Array(2...17)))
    let (couple, bond) = try claimant(bond: SecurityKey(Array(3...18)), own: own)
    #expect(couple.peripheral.with { host, _ in host.bond(with: Self.victim) } == bond)
    #expect(couple.bond(couple.peripheral)?.identity == couple.central.address)
  }

  @Test("know a device by its identity, whose private address its IRK made", arguments: [true, false])
  func provenIdentity(_ isBonded: Bool) throws {
    let own = try #require(SecurityKey(Array(2...17)))
    let (couple, bond) = try claimant(bond: isBonded ? own : nil, own: own)
    let new = try #require(couple.peripheral.with { host, _ in host.bond(with: Self.victim) })
    #expect(new.peerResolvingKey == own && new.keyAsPeripheral != bond.keyAsPeripheral)
    #expect(couple.bond(couple.peripheral) == nil)
  }
}
