import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Core 6.0 Vol 3 Part H 2.3.5.4 and 2.3.5.6.4.
@Suite("Out-of-band data") struct PairingOutOfBandTests {
  private static let roles = [LinkRole.central, .peripheral]

  private func local(_ seed: UInt64) throws -> LocalOutOfBandData {
    let source = RepeatableBytes(seed).source
    return LocalOutOfBandData(
      keyPair: try #require(PairingKeyPair(privateKey: source(32))), random: try #require(SecurityKey(source(16))))
  }

  private func policy(_ has: Bool, secure: Bool = true) -> PairingPolicy {
    .make(secure: secure) { $0.hasOutOfBandData = has }
  }

  @Test("Authenticate if one end has them, or both", arguments: [(true, false), (false, true), (true, true)])
  func secureConnections(_ central: Bool, _ peripheral: Bool) throws {
    let (a, b) = (try local(1), try local(2))
    let (publishedA, publishedB) = (try a.published(), try b.published())
    for start in Self.roles {
      var pair = PairingPair(policy(central), policy(peripheral), centralOutOfBand: a, peripheralOutOfBand: b)
      pair.user = { role, _ in .outOfBand(role == .central ? publishedB : publishedA) }
      pair.run(from: start)
      #expect(pair.bonds[.central]?.keyAsCentral?.isAuthenticated == true)
      #expect(pair.bonds[.central]?.keyAsCentral == pair.bonds[.peripheral]?.keyAsPeripheral)
      #expect(Set(pair.questions.map(\.0)) == Set((central ? [.central] : []) + (peripheral ? [.peripheral] : [])))
    }
  }

  @Test("Are waited for while the peer's nonce waits") func slowUser() throws {
    let (a, b) = (try local(1), try local(2))
    let published = try a.published()
    var pair = PairingPair(policy(false), policy(true), centralOutOfBand: a, peripheralOutOfBand: b)
    pair.user = { _, _ in .accept }
    pair.run()
    #expect(pair.sent.last?.0 == .central && pair.sent.last?.1.first == 0x04)
    #expect(pair.peripheral.isPairing)
    let outputs = pair.peripheral.answer(.outOfBand(published), now: pair.now)
    pair.pass(outputs, of: .peripheral)
    #expect(pair.bonds.count == 2)
  }

  @Test("Must commit to the peer's public key", arguments: roles) func wrongCommitment(_ role: LinkRole) throws {
    let (a, b) = (try local(1), try local(2))
    guard case .secureConnections(let random, var confirm) = try (role == .central ? b : a).published() else { return }
    let other = try #require(SecurityKey(RepeatableBytes(9).source(16)))
    confirm[15] ^= 0x80
    let wrong: [PairingOutOfBandData] = [
      .secureConnections(random: random, confirm: confirm), .secureConnections(random: other, confirm: confirm),
      .secureConnections(random: random, confirm: []), .secureConnections(random: random, confirm: confirm + [0]),
      try (role == .central ? a : b).published(), try local(3).published(),
    ]
    for data in wrong {
      var pair = PairingPair(
        policy(role == .central), policy(role == .peripheral), centralOutOfBand: a, peripheralOutOfBand: b)
      pair.user = { _, _ in .outOfBand(data) }
      pair.run()
      #expect(pair.failures[role] == [.refused(.confirmValueFailed)])
      #expect(pair.bonds.isEmpty)
    }
  }

  @Test("Of a random value that the peer does not know fail in stage 2") func unknownRandom() throws {
    let (a, b) = (try local(1), try local(2))
    // The peripheral's own random value differs from the one it published.
    let published = try LocalOutOfBandData(keyPair: b.keyPair, random: SecurityKey(number: 5)).published()
    var pair = PairingPair(policy(true), policy(false), centralOutOfBand: a, peripheralOutOfBand: b)
    pair.user = { _, _ in .outOfBand(published) }
    pair.run()
    #expect(pair.failures[.peripheral] == [.refused(.dhKeyCheckFailed)])
  }

  @Test("Do not let the peer return our own nonce") func reflectedNonce() throws {
    let (a, b) = (try local(1), try local(2))
    let published = try b.published()
    var pair = PairingPair(policy(true), policy(false), centralOutOfBand: a, peripheralOutOfBand: b)
    pair.user = { _, _ in .outOfBand(published) }
    var nonce: [UInt8] = []
    pair.alter = { sender, pdu in
      guard pdu[0] == SMPCode.pairingRandom.rawValue else { return pdu }
      if sender == .central { nonce = pdu }
      return nonce
    }
    pair.run()
    #expect(pair.failures[.central] == [.refused(.confirmValueFailed)])
    #expect(!pair.sent.contains { $0.1[0] == SMPCode.pairingDHKeyCheck.rawValue })
  }

  @Test("Serve for one pairing") func once() throws {
    let (a, b) = (try local(1), try local(2))
    let published = try b.published()
    var pair = PairingPair(policy(true), policy(false), centralOutOfBand: a, peripheralOutOfBand: b)
    pair.user = { _, _ in .outOfBand(published) }
    pair.run()
    #expect(pair.bonds.count == 2)
    var again = PairingPair()
    again.central = pair.central
    again.peripheral = pair.peripheral
    again.run()
    #expect(again.failures[.peripheral] == [.refused(.outOfBandNotAvailable)])
  }

  @Test("Of legacy pairing are one temporary key for both", arguments: [true, false]) func legacy(_ same: Bool) throws {
    let key = try #require(SecurityKey(RepeatableBytes(1).source(16)))
    let other = try #require(SecurityKey(RepeatableBytes(2).source(16)))
    var pair = PairingPair(policy(true, secure: false), policy(true, secure: false))
    pair.user = { role, _ in .outOfBand(.legacy(temporaryKey: role == .central || same ? key : other)) }
    pair.run()
    #expect((pair.bonds[.central]?.keyAsCentral?.isAuthenticated == true) == same)
    #expect(pair.failures[.peripheral] == (same ? nil : [.refused(.confirmValueFailed)]))
  }

  @Test("Of the wrong kind, or none, end the pairing", arguments: roles) func wrongKind(_ role: LinkRole) throws {
    let (a, b) = (try local(1), try local(2))
    let (published, legacy) = (try b.published(), PairingOutOfBandData.legacy(temporaryKey: SecurityKey(number: 1)))
    for (secure, answer) in [
      (true, .outOfBand(legacy)), (true, .reject), (false, .outOfBand(published)), (false, .reject),
    ] as [(Bool, PairingAnswer)] {
      var pair = PairingPair(
        policy(role == .central || !secure, secure: secure), policy(role == .peripheral || !secure, secure: secure),
        centralOutOfBand: a, peripheralOutOfBand: b)
      pair.user = { asked, _ in asked == role ? answer : .accept }
      pair.run()
      #expect(pair.failures[role] == [.refused(.outOfBandNotAvailable)])
    }
  }
}
