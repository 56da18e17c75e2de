import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("What an end offers when it pairs") struct PairingPolicyTests {
  private func request(_ policy: PairingPolicy, hasIdentity: Bool = true) throws -> [UInt8] {
    var session = PairingSession(
      role: .central, local: PairingPair.centralAddress, peer: PairingPair.peripheralAddress, policy: policy,
      identity: hasIdentity ? PairingPair.identity(.central) : nil, random: RepeatableBytes(1).source)
    return try #require(session.begin(now: .zero).pdus.first)
  }

  @Test("are its abilities, the longest key, and its keys") func whole() throws {
    #expect(try request(.make(.displayYesNo, .preferred)) == [0x01, 0x01, 0x00, 0x0D, 0x10, 0x03, 0x03])
    #expect(try request(.make(secure: false)) == [0x01, 0x03, 0x00, 0x01, 0x10, 0x03, 0x03])
  }

  @Test("are Secure Connections where it requires them, whatever else it says") func required() throws {
    let policy = PairingPolicy.make(secure: false) { $0.requiresSecureConnections = true }
    #expect(try request(policy)[3] == 0x09)
  }

  @Test("are no keys where it does not bond, or its peer does not") func noBonding() throws {
    #expect(try request(.make { $0.isBonding = false }) == [0x01, 0x03, 0x00, 0x08, 0x10, 0x00, 0x00])
    for (isBonding, flags) in [(true, 0x00), (false, 0x01), (true, 0x02), (true, 0x03)] as [(Bool, UInt8)] {
      var peripheral = PairingPair.session(.peripheral, .make { $0.isBonding = isBonding })
      let request: [UInt8] = [0x01, 0x03, 0x00, 0x08 | flags, 0x10, 0x07, 0x07]
      let response = try #require(peripheral.receive(ByteReader(request), now: .zero).pdus.first)
      #expect(response == [0x02, 0x03, 0x00, isBonding ? 0x09 : 0x08, 0x10, 0x00, 0x00])
    }
  }

  @Test("are no identity where it has none") func noIdentity() throws {
    #expect(try request(.make(), hasIdentity: false).suffix(2) == [0x01, 0x03])
  }

  @Test("are passkeys of six digits, each as likely as any other") func passkeys() {
    #expect(PairingPasskey(999_999) != nil && PairingPasskey(1_000_000) == nil)
    // 4,294 times a million numbers; those beyond would favor some.
    #expect(PairingPasskey(random: [0xFF, 0xF1, 0x3D, 0x7F])?.value == 999_999)
    for bytes in [[0xFF, 0xFF, 0xFF, 0xFF], [0xFF, 0xF1, 0x3D, 0x80], [0, 0, 1], [0, 0, 0, 1, 0]] as [[UInt8]] {
      #expect(PairingPasskey(random: bytes) == nil)
    }
  }
}
