import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Core 6.0 Vol 3 Part H 2.3.5.6.4.
@Suite("Out-of-band data of a host") struct HostOutOfBandTests {
  /// A couple whose central has a user with data of the peripheral; nobody is at the peripheral.
  private func couple(_ peripheral: PairingPolicy = PairingPolicy()) throws -> PairingCouple {
    let couple = try PairingCouple(PairingPolicy(), peripheral)
    var terms = PairingTerms()
    terms.agent = .noInputNoOutput
    terms.hasOutOfBandData = true
    couple.central.with { host, _ in host.setPairingTerms(terms, of: couple.app) }
    return couple
  }

  private func make(_ actor: Actor) throws -> PairingOutOfBandData {
    try #require(actor.with { host, _ in host.makeOutOfBandData() })
  }

  /// Begins to read what needs encryption, and answers the question for data.
  private func read(_ couple: PairingCouple, _ data: PairingOutOfBandData, after count: Int = 0) throws -> GATTOutcome?
  {
    let request = couple.begin(couple.secret)
    #expect(try couple.question(couple.central, after: count) == .outOfBandData(secureConnections: true))
    try couple.answer(.outOfBand(data), couple.central)
    return couple.wait(for: request)
  }

  @Test("authenticate a pairing with a device that has them") func authenticates() throws {
    let couple = try couple()
    let data = try make(couple.peripheral)
    #expect(try read(couple, data)?.value == [0x51])
    #expect(couple.security?.isAuthenticated == true && couple.peripheralSecurity?.isAuthenticated == true)
    #expect(couple.read(couple.personal)?.value == [0x52])
    #expect(couple.peripheral.with { host, _ in host.localOutOfBand == nil })
  }

  @Test("authenticate the central that made them, too") func central() throws {
    let couple = try PairingCouple()
    var terms = PairingTerms()
    terms.agent = .noInputNoOutput
    terms.hasOutOfBandData = true
    couple.peripheral.with { host, _ in host.setPairingTerms(terms, of: couple.device) }
    let data = try make(couple.central)
    let request = couple.begin(couple.secret)
    #expect(try couple.question(couple.peripheral) == .outOfBandData(secureConnections: true))
    try couple.answer(.outOfBand(data), couple.peripheral)
    #expect(couple.wait(for: request)?.value == [0x51])
    #expect(couple.security?.isAuthenticated == true)
  }

  @Test("serve for one pairing, also where it fails") func once() throws {
    let couple = try couple()
    let data = try make(couple.peripheral)
    guard case .secureConnections(let random, var confirm) = data else { return }
    confirm[0] ^= 1
    #expect(try read(couple, .secureConnections(random: random, confirm: confirm))?.value == nil)
    #expect(couple.pairings(couple.central).last == "pairing with 2: refused 04")
    couple.disconnect()
    try couple.connect()
    couple.stage.advance(.seconds(60))
    // The peripheral has no data any more.
    let request = couple.begin(couple.secret)
    #expect(couple.wait(for: request)?.value == nil)
    #expect(couple.pairings(couple.central).last == "pairing with 2: peer refused 02")
    couple.disconnect()
    try couple.connect()
    couple.stage.advance(.seconds(120))
    let asked = couple.central.questions.count
    #expect(try read(couple, make(couple.peripheral), after: asked)?.value == [0x51])
    #expect(couple.security?.isAuthenticated == true)
  }

  @Test("replace those that were made before") func replaced() throws {
    let couple = try couple()
    let old = try make(couple.peripheral)
    let new = try make(couple.peripheral)
    #expect(old != new)
    #expect(try read(couple, old)?.value == nil)
    #expect(couple.pairings(couple.central).last == "pairing with 2: refused 04")
  }

  @Test("are of no use to a device that only says that it has them") func liar() throws {
    let couple = try couple()
    _ = try make(couple.peripheral)
    // It has the right public key, and not the random value.
    guard let own = couple.peripheral.with({ host, _ in host.localOutOfBand }) else { return }
    let random = try #require(SecurityKey(Array(repeating: 9, count: 16)))
    let forged = try LocalOutOfBandData(keyPair: own.keyPair, random: random).published()
    #expect(try read(couple, forged)?.value == nil)
    #expect(couple.pairings(couple.peripheral).last == "pairing with 1: refused 0b")
    #expect(couple.bond(couple.peripheral) == nil && couple.peripheral.with { host, _ in host.localOutOfBand == nil })
  }

  @Test("are not made by a broken random source") func brokenSource() {
    let sources: [@Sendable (Int) -> [UInt8]] = [
      { _ in [] }, { Array(repeating: 0, count: $0) },
      { Array(repeating: $0 == SecurityKey.byteCount ? 0 : 1, count: $0) },
    ]
    for source in sources {
      var host = Host(configuration: HostConfiguration(ownAddress: .staticRandom(1)), random: source)
      let data = host.makeOutOfBandData()
      #expect(data == nil)
    }
  }
}
