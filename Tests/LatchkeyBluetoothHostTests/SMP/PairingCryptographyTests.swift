import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Core 6.0 Vol 3 Part H Appendix D, and the examples of 2.2.3 and 2.2.4.
@Suite("The cryptographic toolbox") struct PairingCryptographyTests {
  /// Printed as in the specification, most significant byte first; the result is in wire order.
  static func wire(_ printed: String) throws -> [UInt8] {
    try Hexadecimal.decode(printed.filter { !$0.isWhitespace }).reversed()
  }

  private func wire(_ printed: String) throws -> [UInt8] { try Self.wire(printed) }
  private func key(_ printed: String) throws -> SecurityKey { try #require(SecurityKey(Self.wire(printed))) }

  static let privateA = "3f49f6d4 a3c55f38 74c9b3e3 d2103f50 4aff607b eb40b799 5899b8a6 cd3c1abd"
  static let privateB = "55188b3d 32f6bb9a 900afcfb eed4e72a 59cb9ac2 f19d7cfb 6b4fdd49 f47fc5fd"
  static let publicAX = "20b003d2 f297be2c 5e2c83a7 e9f9a5b9 eff49111 acf4fddb cc030148 0e359de6"
  static let publicAY = "dc809c49 652aeb6d 63329abf 5a52155c 766345c2 8fed3024 741c8ed0 1589d28b"
  static let publicBX = "1ea1f0f0 1faf1d96 09592284 f19e4c00 47b58afd 8615a69f 559077b2 2faaa190"
  static let publicBY = "4c55f33e 429dad37 7356703a 9ab85160 472d1130 e28e3676 5f89aff9 15b1214a"
  static let dhKey = "ec0234a3 57c8ad05 341010a6 0a397d9b 99796b13 b4f866f1 868d34f3 73bfa698"
  // The nonces and the two addresses of D.3 and D.4.
  static let n1 = "d5cb8454 d177733e ffffb2ec 712baeab"
  static let n2 = "a6e8e7cc 25a75f6e 216583f7 ff3dc4cf"
  static let a1 = BluetoothAddress(0x5612_3737_BFCE, kind: .public)
  static let a2 = BluetoothAddress(0xA713_702D_CFC1, kind: .public)

  @Test("c1 gives the confirm value of 2.2.3") func confirmOfLegacyPairing() throws {
    let value = try PairingCryptography.c1(
      k: SecurityKey(number: 0), r: wire("5783D52156AD6F0E6388274EC6702EE0"), preq: wire("07071000000101"),
      pres: wire("05000800000302"), initiator: BluetoothAddress(0xA1A2_A3A4_A5A6, kind: .random),
      responder: BluetoothAddress(0xB1B2_B3B4_B5B6, kind: .public))
    #expect(value == (try wire("1e1e3fef878988ead2a74dc5bef13b86")))
  }

  @Test("c1 depends on each of its values") func confirmDependsOnAll() throws {
    let initiator = BluetoothAddress(0xA1A2_A3A4_A5A6, kind: .random)
    let responder = BluetoothAddress(0xB1B2_B3B4_B5B6, kind: .public)
    let (preq, pres) = (try wire("07071000000101"), try wire("05000800000302"))
    let r = try wire("5783D52156AD6F0E6388274EC6702EE0")
    let zero = SecurityKey(number: 0)
    let values = [
      try PairingCryptography.c1(k: zero, r: r, preq: preq, pres: pres, initiator: initiator, responder: responder),
      try PairingCryptography.c1(
        k: SecurityKey(number: 1), r: r, preq: preq, pres: pres, initiator: initiator, responder: responder),
      try PairingCryptography.c1(
        k: zero, r: r.reversed(), preq: preq, pres: pres, initiator: initiator, responder: responder),
      try PairingCryptography.c1(
        k: zero, r: r, preq: preq.reversed(), pres: pres, initiator: initiator, responder: responder),
      try PairingCryptography.c1(
        k: zero, r: r, preq: preq, pres: pres.reversed(), initiator: initiator, responder: responder),
      try PairingCryptography.c1(
        k: zero, r: r, preq: preq, pres: pres, initiator: BluetoothAddress(initiator.value, kind: .public),
        responder: responder),
      try PairingCryptography.c1(
        k: zero, r: r, preq: preq, pres: pres, initiator: initiator,
        responder: BluetoothAddress(responder.value, kind: .random)),
      try PairingCryptography.c1(k: zero, r: r, preq: preq, pres: pres, initiator: responder, responder: initiator),
    ]
    #expect(Set(values).count == values.count)
  }

  @Test("s1 gives the STK of 2.2.4") func shortTermKey() throws {
    let value = try PairingCryptography.s1(
      k: SecurityKey(number: 0), r1: wire("000F0E0D0C0B0A091122334455667788"),
      r2: wire("010203040506070899AABBCCDDEEFF00"))
    #expect(value == (try key("9a1fe1f0e8b0f49b5b4216ae796da062")))
  }

  @Test("The DHKey of both ends is that of D.1") func sharedSecret() throws {
    let a = try #require(PairingKeyPair(privateKey: wire(Self.privateA)))
    let b = try #require(PairingKeyPair(privateKey: wire(Self.privateB)))
    #expect(a.publicKey == SMPPairingPublicKey(x: try wire(Self.publicAX), y: try wire(Self.publicAY)))
    #expect(b.publicKey == SMPPairingPublicKey(x: try wire(Self.publicBX), y: try wire(Self.publicBY)))
    #expect(try a.sharedSecret(with: b.publicKey, permitsDebugKey: false).array() == wire(Self.dhKey))
    #expect(try b.sharedSecret(with: a.publicKey, permitsDebugKey: true).array() == wire(Self.dhKey))
  }

  @Test("f4 gives the confirm value of D.2") func confirmOfSecureConnections() throws {
    let value = try PairingCryptography.f4(u: wire(Self.publicAX), v: wire(Self.privateB), x: wire(Self.n1), z: 0)
    #expect(value == (try wire("f2c916f1 07a9bd1c f1eda1be a974872d")))
    #expect(
      try PairingCryptography.f4(u: wire(Self.publicAX), v: wire(Self.privateB), x: wire(Self.n1), z: 0x80) != value)
  }

  @Test("f5 gives the MacKey and the LTK of D.3") func keys() throws {
    let keys = try PairingCryptography.f5(
      w: SecretBytes(wire(Self.dhKey)), n1: wire(Self.n1), n2: wire(Self.n2), a1: Self.a1, a2: Self.a2)
    #expect(keys.macKey == (try key("2965f176 a1084a02 fd3f6a20 ce636e20")))
    #expect(keys.longTermKey == (try key("69867911 69d7cd23 980522b5 94750a38")))
  }

  @Test("f6 gives the DHKey Check of D.4") func check() throws {
    let value = try PairingCryptography.f6(
      w: key("2965f176 a1084a02 fd3f6a20 ce636e20"), n1: wire(Self.n1), n2: wire(Self.n2),
      r: key("12a3343b b453bb54 08da42d2 0c2d0fc8"), ioCap: wire("010102"), a1: Self.a1, a2: Self.a2)
    #expect(value == (try wire("e3c47398 9cd0e8c5 d26c0b09 da958f61")))
  }

  @Test("g2 gives the value of D.5") func comparison() throws {
    let value = try PairingCryptography.g2(
      u: wire(Self.publicAX), v: wire(Self.privateB), x: wire(Self.n1), y: wire(Self.n2))
    #expect(value == 0x2F9E_D5BA)
    #expect(PairingPasskey(comparing: value).digits == "938554")
  }

  @Test("h6 gives the key of D.6") func derivation() throws {
    let value = try PairingCryptography.h6(w: key("ec0234a3 57c8ad05 341010a6 0a397d9b"), keyID: wire("6c656272"))
    #expect(value == (try key("2d9ae102 e76dc91c e8d3a9e2 80b16399")))
  }

  @Test("ah gives the hash of D.7") func addressHash() throws {
    let value = try PairingCryptography.ah(k: key("ec0234a3 57c8ad05 341010a6 0a397d9b"), prand: 0x708194)
    #expect(value == 0x0DFBAA)
  }

  @Test("h7 gives the key of D.8") func intermediateKey() throws {
    let value = try PairingCryptography.h7(
      salt: wire("00000000 00000000 00000000 746D7031"), w: key("ec0234a3 57c8ad05 341010a6 0a397d9b"))
    #expect(value == (try key("fb173597 c6a3c0ec d2998c2a 75a57011")))
  }

  /// D.9 and D.10: an LTK becomes a link key by h6, or by h7 and h6; D.11 and D.12: the same the other way.
  @Test("The two ways from one transport's key to the other's are those of D.9 to D.12") func crossTransport() throws {
    let (tmp1, tmp2) = (try wire("746D7031"), try wire("746D7032"))
    let (lebr, brle) = (try wire("6c656272"), try wire("62726c65"))
    func converted(_ from: String, _ salt: [UInt8], _ id: [UInt8], h7: Bool) throws -> SecurityKey {
      let first =
        try h7
        ? PairingCryptography.h7(salt: salt + [UInt8](repeating: 0, count: 12), w: key(from))
        : PairingCryptography.h6(w: key(from), keyID: salt)
      return try PairingCryptography.h6(w: first, keyID: id)
    }
    let ltk = "368df9bc e3264b58 bd066c33 334fbf64"
    let linkKey = "05040302 01000908 07060504 03020100"
    #expect(try converted(ltk, tmp1, lebr, h7: true) == key("287ad379 dca40253 0a39f1f4 3047b835"))
    #expect(try converted(ltk, tmp1, lebr, h7: false) == key("bc1ca4ef 633fc1bd 0d8230af ee388fb0"))
    #expect(try converted(linkKey, tmp2, brle, h7: true) == key("e85e09eb 5eccb3e2 69418a13 3211bc79"))
    #expect(try converted(linkKey, tmp2, brle, h7: false) == key("a813fb72 f1a3dfa1 8a2c9a43 f10d0a30"))
  }

  @Test("A value of a wrong length is refused, not padded", arguments: [0, 1, 15, 17, 32])
  func lengths(_ count: Int) throws {
    let wrong = [UInt8](repeating: 1, count: count)
    let zero = SecurityKey(number: 0)
    #expect(SecurityKey(wrong) == nil)
    #expect(throws: SMPReason.unspecifiedReason) {
      try PairingCryptography.f4(u: [], v: [], x: wrong, z: 0)
    }
    #expect(throws: SMPReason.unspecifiedReason) {
      try PairingCryptography.g2(u: [], v: [], x: wrong, y: [])
    }
    #expect(throws: SMPReason.unspecifiedReason) { try PairingCryptography.h7(salt: wrong, w: zero) }
    if count < 16 {
      #expect(throws: SMPReason.unspecifiedReason) {
        try PairingCryptography.c1(
          k: zero, r: wrong, preq: [UInt8](repeating: 0, count: 7), pres: [UInt8](repeating: 0, count: 7),
          initiator: Self.a1, responder: Self.a2)
      }
      let r2 = [UInt8](repeating: 0, count: 16)
      let key = try? PairingCryptography.s1(k: zero, r1: wrong, r2: r2)
      #expect((key == nil) == (count < 8))
    }
  }
}
