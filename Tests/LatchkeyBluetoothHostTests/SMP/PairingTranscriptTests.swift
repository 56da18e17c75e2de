import LatchkeyByteCoding
import Synchronization
import Testing

@testable import LatchkeyBluetoothHost

/// Whole pairings, byte for byte. The keys are those of the debug mode and of Appendix D.1, nonces and addresses those of
/// D.3 and D.4, so the LTK of Secure Connections is that of D.3.
@Suite("The bytes of a pairing") struct PairingTranscriptTests {
  private typealias Vectors = PairingCryptographyTests

  /// Random bytes that a test prescribes, one array for each draw.
  private static func script(_ draws: [[UInt8]]) -> @Sendable (Int) -> [UInt8] {
    let rest = Draws(draws)
    return { count in rest.next(count) }
  }

  private final class Draws: Sendable {
    private let rest: Mutex<[[UInt8]]>
    init(_ draws: [[UInt8]]) { rest = Mutex(draws) }
    func next(_ count: Int) -> [UInt8] {
      rest.withLock { rest in
        guard let first = rest.first, first.count == count else { return [] }
        return rest.removeFirst()
      }
    }
  }

  private func pair(
    _ central: PairingPolicy, _ centralDraws: [[UInt8]], _ peripheral: PairingPolicy, _ peripheralDraws: [[UInt8]],
    peripheralOutOfBand: LocalOutOfBandData? = nil
  ) -> PairingPair {
    var pair = PairingPair()
    pair.central = PairingSession(
      role: .central, local: Vectors.a1, peer: Vectors.a2, policy: central, identity: PairingPair.identity(.central),
      random: Self.script(centralDraws))
    pair.peripheral = PairingSession(
      role: .peripheral, local: Vectors.a2, peer: Vectors.a1, policy: peripheral,
      identity: PairingPair.identity(.peripheral), localOutOfBand: peripheralOutOfBand,
      random: Self.script(peripheralDraws))
    return pair
  }

  /// PDUs as text, `>` from the central and `<` from the peripheral.
  private func lines(_ pair: PairingPair) -> [String] {
    pair.sent.map { ($0.0 == .central ? "> " : "< ") + Hexadecimal.encode($0.1) }
  }

  private static let publicKeyA =
    "0ce69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b0208bd28915d08e1c742430ed8fc24563765c15525abf9a32636deb"
    + "2a65499c80dc"
  private static let publicKeyB =
    "0c90a1aa2fb27790559fa61586fd8ab547004c9ef184225909961daf1ff0f0a11e4a21b115f9af895f76368ee230112d476051b89a3a70567337ad"
    + "9d423ef3554c"
  private static let nonceA = "04abae2b71ecb2ffff3e7377d15484cbd5"
  private static let nonceB = "04cfc43dfff78365216e5fa725cce7e8a6"
  private static let identities = [
    "< 0808000000000000000000000000000000", "< 0901c200000000c0", "> 0807000000000000000000000000000000",
    "> 0901c100000000c0",
  ]

  private func identityOnly(_ policy: inout PairingPolicy) {
    policy.keysToSend = .identityKey
    policy.keysToReceive = .identityKey
    policy.permitsDebugKey = true
  }

  @Test("Of numeric comparison, with the debug key of the central") func numericComparison() throws {
    var pair = pair(
      .make(.displayYesNo, .required) { $0.usesDebugKey = true }, [try Vectors.wire(Vectors.n1)],
      .make(.displayYesNo, .required, identityOnly),
      [try Vectors.wire(Vectors.privateB), try Vectors.wire(Vectors.n2)])
    pair.run()
    #expect(
      lines(pair) == [
        "> 0101000d100303", "< 0201000d100202", "> " + Self.publicKeyA, "< " + Self.publicKeyB,
        "< 036bab385318d9cea1ba9fc6b57775ff3a", "> " + Self.nonceA, "< " + Self.nonceB,
        "> 0dd9b5614a965f24ff0cedd39f4b98e2af", "< 0dd73fad0d358365a7584f689543af9f3d",
      ] + Self.identities)
    let digits = try #require(PairingPasskey(706_570))
    #expect(pair.questions.map(\.1) == [.compare(digits), .compare(digits)])
    let key = try #require(pair.bonds[.central]?.keyAsCentral)
    #expect(key.key.exposedBytes == (try Vectors.wire("69867911 69d7cd23 980522b5 94750a38")))
    #expect(key.isAuthenticated && key.isSecureConnections)
  }

  @Test("Of Just Works, with the debug key of both") func debugKeys() throws {
    let policy = PairingPolicy.make { $0.usesDebugKey = true }
    var pair = pair(
      policy, [try Vectors.wire(Vectors.n1)],
      .make {
        identityOnly(&$0)
        $0.usesDebugKey = true
      }, [try Vectors.wire(Vectors.n2)])
    pair.run(from: .peripheral)
    #expect(
      lines(pair) == [
        "< 0b09", "> 01030009100303", "< 02030009100202", "> " + Self.publicKeyA, "< " + Self.publicKeyA,
        "< 037809c1d11be9a13168c3020081164ad9", "> " + Self.nonceA, "< " + Self.nonceB,
        "> 0d28c09b9d27d6527ebd9f263609f8536d", "< 0d7c6ba62228151ff46c40de77eff0b42c",
      ] + Self.identities)
    let key = try #require(pair.bonds[.peripheral]?.keyAsPeripheral)
    #expect(Hexadecimal.encode(key.key.exposedBytes) == "710ec7b690b7aa734a2b3891c29dd9eb")
    #expect(!key.isAuthenticated)
  }

  @Test("Of a passkey in Secure Connections: 20 rounds, with the same nonces in each") func passkey() throws {
    let (n1, n2) = (try Vectors.wire(Vectors.n1), try Vectors.wire(Vectors.n2))
    // 123,456 is drawn as four bytes, most significant first.
    var pair = pair(
      .make(.keyboardOnly, .required) { $0.usesDebugKey = true }, Array(repeating: n1, count: 20),
      .make(.displayOnly, .required, identityOnly),
      [try Vectors.wire(Vectors.privateB), [0x00, 0x01, 0xE2, 0x40]] + Array(repeating: n2, count: 20))
    pair.run()
    let lines = lines(pair)
    #expect(lines.count == 4 + 20 * 4 + 2 + 4)
    #expect(
      lines.dropFirst(4).prefix(4) == [
        "> 032e3941316cd44f2e4e363a7f774de6d2", "< 030a6cd1fdbae796add3663bc2ad535c47", "> " + Self.nonceA,
        "< " + Self.nonceB,
      ])
    // 123,456 is 0x1E240: bits 6, 9, 13 to 16 are set.
    let commitments = lines.filter { $0.hasPrefix("> 03") }
    #expect(
      commitments.indices.filter { commitments[$0] == "> 03d25074647629fbd536e374d255cd77e8" } == [
        6, 9, 13, 14, 15, 16,
      ])
    #expect(Set(commitments).count == 2)
    #expect(
      lines.suffix(6) == [
        "> 0d423fddef863ebab1ec67b77601b474a2", "< 0d96d229939fc78da03a7b47fe26fa21d1",
      ] + Self.identities)
  }

  @Test("Of out-of-band data that one end has") func outOfBand() throws {
    let random = try #require(SecurityKey(Vectors.wire("12a3343b b453bb54 08da42d2 0c2d0fc8")))
    let keyPair = try #require(PairingKeyPair(privateKey: Vectors.wire(Vectors.privateB)))
    let data = LocalOutOfBandData(keyPair: keyPair, random: random)
    guard case .secureConnections(random, let confirm) = try data.published() else {
      Issue.record("not of Secure Connections")
      return
    }
    #expect(Hexadecimal.encode(confirm) == "7dea8738e96ac8fc9c4cd193347513a5")
    var pair = pair(
      .make {
        $0.usesDebugKey = true
        $0.hasOutOfBandData = true
      }, [try Vectors.wire(Vectors.n1)], .make(.noInputNoOutput, .none, identityOnly), [try Vectors.wire(Vectors.n2)],
      peripheralOutOfBand: data)
    pair.user = { _, _ in .outOfBand(.secureConnections(random: random, confirm: confirm)) }
    pair.run()
    #expect(
      lines(pair) == [
        "> 01030109100303", "< 02030009100202", "> " + Self.publicKeyA, "< " + Self.publicKeyB, "> " + Self.nonceA,
        "< " + Self.nonceB, "> 0da32f0c95f2abc1396f37aa4c9310a312", "< 0dc0509525f371ff94a825859705879a67",
      ] + Self.identities)
    #expect(pair.bonds[.peripheral]?.keyAsPeripheral?.isAuthenticated == true)
  }

  @Test("Of a passkey in legacy pairing, with the STK and the distributed LTKs") func legacy() throws {
    let ltk = (0..<16).map { UInt8($0) }
    let numbers: [UInt8] = [0x34, 0x12, 8, 7, 6, 5, 4, 3, 2, 1]
    func keys(_ policy: inout PairingPolicy) {
      policy.keysToSend = .encryptionKey
      policy.keysToReceive = .encryptionKey
    }
    var pair = pair(
      .make(.keyboardOnly, .required, secure: false, keys), [try Vectors.wire(Vectors.n1), ltk, numbers],
      .make(.displayOnly, .required, secure: false, keys),
      [[0x00, 0x01, 0xE2, 0x40], try Vectors.wire(Vectors.n2), ltk.reversed(), numbers.reversed()])
    var encryption: [LongTermKey] = []
    pair.onEncryption = { encryption.append($0) }
    pair.run()
    #expect(
      lines(pair) == [
        "> 01020005100101", "< 02000005100101", "> 03180c9031234e5104e8bef9030e45ce9d",
        "< 03f1138012dbe811c507d05c7a0dfb735f", "> " + Self.nonceA, "< " + Self.nonceB,
        "< 060f0e0d0c0b0a09080706050403020100", "< 0701020304050607081234", "> 06000102030405060708090a0b0c0d0e0f",
        "> 0734120807060504030201",
      ])
    #expect(encryption.map { Hexadecimal.encode($0.key.exposedBytes) } == ["03706dbfa331018320ebcbaaedda804d"])
    let key = try #require(pair.bonds[.central]?.keyAsCentral)
    #expect(key.key.exposedBytes == ltk.reversed())
    #expect(key.encryptedDiversifier == 0x0201 && key.randomNumber == 0x3412_0807_0605_0403)
    #expect(pair.bonds[.central]?.keyAsPeripheral?.encryptedDiversifier == 0x1234)
    #expect(pair.bonds[.peripheral]?.keyAsCentral?.randomNumber == 0x0102_0304_0506_0708)
  }
}
