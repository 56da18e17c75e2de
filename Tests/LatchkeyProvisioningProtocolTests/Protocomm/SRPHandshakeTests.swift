import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

/// Security 2, both ends, against the values of Espressif's client.
@Suite struct SRPHandshakeTests {
  typealias Vector = ProtocommVectors.Security2

  private func app(_ vector: Vector, code: String? = nil) throws -> SRPApp {
    try SRPApp(
      username: vector.username, code: SecretBytes(Array((code ?? vector.code).utf8)),
      random: ScriptedRandom([hex(vector.a)]).draw)
  }

  private func device(_ vector: Vector, random: ScriptedRandom? = nil, clientKey: [UInt8]? = nil) throws -> SRPDevice {
    try SRPDevice(
      vector.verifierValue(), username: Array(vector.username.utf8), clientKey: clientKey ?? hex(vector.clientKey),
      random: (random ?? ScriptedRandom([hex(vector.b), Array(hex(vector.nonce).prefix(8))])).draw)
  }

  private static let example = ProtocommVectors.all.security2[0]
  private static let shortB = ProtocommVectors.all.security2[1]

  @Test(
    "Tests 13, 14, 15 and 16: the app's values are Espressif's, for a short B and a short S too",
    arguments: ProtocommVectors.all.security2)
  func appEqualsEspressif(_ vector: Vector) throws {
    for counts in [false, true] {
      var app = try app(vector)
      #expect(app.command.encoded == hex(vector.command0))
      #expect(try app.answer(SessionMessage(hex(vector.response0))).encoded == hex(vector.command1))
      var cipher = try app.finish(SessionMessage(hex(vector.response1)), counts: counts)
      for (index, message) in (counts ? vector.messagesPatch1 : vector.messagesPatch0).enumerated() {
        if index % 2 == 0 {
          #expect(try cipher.seal(hex(message.plain)) == hex(message.cipher))
        } else {
          #expect(try cipher.open(hex(message.cipher)) == hex(message.plain))
        }
      }
    }
  }

  @Test(
    "Tests 13, 14 and 16: the device's values are Espressif's",
    arguments: ProtocommVectors.all.security2.filter { $0.name != shortB.name })
  func deviceEqualsEspressif(_ vector: Vector) throws {
    let device = try device(vector)
    #expect(device.response.encoded == hex(vector.response0))
    var (response, cipher) = try device.finish(hex(vector.clientProof))
    #expect(response.encoded == hex(vector.response1))
    for (index, message) in vector.messagesPatch1.enumerated() {
      if index % 2 == 0 {
        #expect(try cipher.open(hex(message.cipher)) == hex(message.plain))
      } else {
        #expect(try cipher.seal(hex(message.plain)) == hex(message.cipher))
      }
    }
  }

  @Test("The verifier of a code is g^x, and a code is fit or not") func verifiers() throws {
    let vector = Self.example
    let made = try SRPVerifier(username: vector.username, code: vector.secretCode, salt: hex(vector.salt))
    #expect(made.verifierBytes.array() == hex(vector.verifier))
    #expect(made.salt == hex(vector.salt))
    #expect(SRPVerifier.isFitForAllClients(code: vector.secretCode))
    // A drawn salt never begins with zero.
    let drawn = try SRPVerifier(
      code: vector.secretCode, random: ScriptedRandom([[UInt8](repeating: 0, count: 16)]).draw)
    #expect(drawn.salt[0] != 0)
  }

  @Test("A salt, a user name and a verifier out of their bounds are refused") func badVerifiers() throws {
    let (salt, verifier) = (hex(Self.example.salt), hex(Self.example.verifier))
    for salt in [[], [UInt8](repeating: 1, count: 65)] {
      #expect(throws: SRPVerifier.Failure.length) { try SRPVerifier(salt: salt, verifier: verifier) }
    }
    #expect(throws: SRPVerifier.Failure.length) { try SRPVerifier(username: "", salt: salt, verifier: verifier) }
    for verifier in [[], [0], SRPGroup.modulusBytes, [UInt8](repeating: 0xFF, count: 384), [1] + SRPGroup.modulusBytes]
    {
      #expect(throws: SRPVerifier.Failure.verifier) { try SRPVerifier(salt: salt, verifier: verifier) }
    }
    // Zeros before it change nothing.
    #expect(try SRPVerifier(salt: salt, verifier: [0, 0] + verifier).verifierBytes.array() == verifier)
  }

  @Test("A device draws again where clients in the field would strip a zero from B") func redraw() throws {
    let random = ScriptedRandom([hex(Self.shortB.b), hex(Self.example.b), Array(hex(Self.example.nonce).prefix(8))])
    let device = try device(Self.example, random: random)
    #expect(random.isUsedUp)
    #expect(device.response.encoded == hex(Self.example.response0))
  }

  @Test("A source that gives only what must be drawn again, or nothing, is refused and not waited for") func noSource()
  {
    #expect(throws: ProtocommSecurityError.refusedByLibrary) {
      try SRPDevice(
        Self.example.verifierValue(), username: [0x41], clientKey: hex(Self.example.clientKey), random: { _ in [] })
    }
    #expect(throws: ProtocommSecurityError.refusedByLibrary) {
      try SRPApp(code: SecretBytes([1]), random: { _ in [] })
    }
  }

  @Test("Test 17: an A of 0, 383 or 385 bytes is refused", arguments: [0, 383, 385]) func keyLengths(_ length: Int) {
    let key = Array(([0] + hex(Self.example.clientKey) + [0]).prefix(length))
    #expect(throws: ProtocommSecurityError.length) { try device(Self.example, clientKey: key) }
  }

  @Test("Test 18: an A of 0 or N is refused") func weakClientKeys() {
    for key in [[UInt8](repeating: 0, count: 384), SRPGroup.modulusBytes] {
      #expect(throws: ProtocommSecurityError.weakKey) { try device(Self.example, clientKey: key) }
    }
  }

  @Test("Test 19: a B of 0, N, none or 385 bytes, an empty salt and a status are refused") func badResponses() throws {
    let (key, salt) = (hex(Self.example.deviceKey), hex(Self.example.salt))
    for (message, error) in [
      (SessionMessage.srpResponse0(.success, deviceKey: [0], salt: salt), ProtocommSecurityError.weakKey),
      (.srpResponse0(.success, deviceKey: [UInt8](repeating: 0, count: 384), salt: salt), .weakKey),
      (.srpResponse0(.success, deviceKey: SRPGroup.modulusBytes, salt: salt), .weakKey),
      (.srpResponse0(.success, deviceKey: [], salt: salt), .length),
      (.srpResponse0(.success, deviceKey: [0] + key, salt: salt), .length),
      (.srpResponse0(.success, deviceKey: key, salt: []), .length),
      (.srpResponse0(.success, deviceKey: key, salt: [UInt8](repeating: 1, count: 65)), .length),
      (.srpResponse0(.internalError, deviceKey: key, salt: salt), .refused(.internalError)),
      (.srpCommand0(username: salt, clientKey: key), .outOfPlace),
      (.x25519Response0(.success, deviceKey: key, random: salt), .outOfPlace),
    ] {
      var app = try app(Self.example)
      #expect(throws: error) { _ = try app.answer(message) }
    }
  }

  @Test("A B that is k · v, which makes S zero whatever a is, is refused") func zeroSecret() throws {
    let b = try #require(Residue(bigEndian: hex(Self.example.deviceKey)))
    let weak = b - SRPGroup.generator.power(SecretBytes(hex(Self.example.b)))
    var app = try app(Self.example)
    #expect(throws: ProtocommSecurityError.weakKey) {
      _ = try app.answer(.srpResponse0(.success, deviceKey: weak.bytes.array(), salt: hex(Self.example.salt)))
    }
  }

  @Test("Test 20: a wrong M2, a nonce of 11 or 13 bytes and a status are refused") func badProofs() throws {
    let (proof, nonce) = (hex(Self.example.deviceProof), hex(Self.example.nonce))
    for (message, error) in [
      (
        SessionMessage.srpResponse1(.success, proof: [proof[0] ^ 1] + proof.dropFirst(), nonce: nonce),
        ProtocommSecurityError.wrongProof
      ),
      (.srpResponse1(.success, proof: [], nonce: nonce), .wrongProof),
      (.srpResponse1(.success, proof: hex(Self.example.clientProof), nonce: nonce), .wrongProof),
      (.srpResponse1(.success, proof: proof, nonce: Array(nonce.dropLast())), .length),
      (.srpResponse1(.success, proof: proof, nonce: nonce + [0]), .length),
      (.srpResponse1(.cryptographicError, proof: proof, nonce: nonce), .refused(.cryptographicError)),
      (.srpCommand1(proof: proof), .outOfPlace),
    ] {
      var app = try app(Self.example)
      _ = try app.answer(SessionMessage(hex(Self.example.response0)))
      #expect(throws: error) { _ = try app.finish(message, counts: true) }
    }
  }

  @Test("A wrong code gives a proof that the device refuses") func wrongCode() throws {
    var app = try app(Self.example, code: "abcd1235")
    guard case .srpCommand1(let proof) = try app.answer(SessionMessage(hex(Self.example.response0))) else { return }
    let device = try device(Self.example)
    #expect(throws: ProtocommSecurityError.wrongProof) { _ = try device.finish(proof) }
    #expect(throws: ProtocommSecurityError.wrongProof) { _ = try device.finish([]) }
    #expect(throws: ProtocommSecurityError.wrongProof) { _ = try device.finish(hex(Self.example.deviceProof)) }
  }

  private func cipher(nonce: String, counts: Bool = true) throws -> ProtocommCipher {
    var app = try app(Self.example)
    _ = try app.answer(SessionMessage(hex(Self.example.response0)))
    return try app.finish(
      .srpResponse1(.success, proof: hex(Self.example.deviceProof), nonce: hex(nonce)), counts: counts)
  }

  @Test("Tests 24, 25 and 26: short, repeated, altered and reflected texts do not open, and move nothing")
  func badTexts() throws {
    var sender = try cipher(nonce: "000102030405060700000001")
    var receiver = try cipher(nonce: "000102030405060700000001")
    let first = try sender.seal([1, 2, 3])
    for bytes in [
      [], Array(first.prefix(15)), Array(first.dropLast()), first + [0], [first[0] ^ 1] + first.dropFirst(),
    ] {
      #expect(throws: ProtocommSecurityError.unauthentic) { try receiver.open(bytes) }
    }
    #expect(try receiver.open(first) == [1, 2, 3])
    #expect(throws: ProtocommSecurityError.unauthentic) { try receiver.open(first) }
    // Our own text is not an answer.
    #expect(throws: ProtocommSecurityError.unauthentic) { try sender.open(first) }
    // A tag alone is an empty text.
    let empty = try receiver.seal([])
    #expect(empty.count == 16)
    #expect(try sender.open(empty) == [])
  }

  @Test("Without counting, a reflected text opens: that is what patch version 0 lacks") func reflectedWithoutCounting()
    throws
  {
    var app = try cipher(nonce: "000102030405060700000001", counts: false)
    let text = try app.seal([9])
    #expect(try app.open(text) == [9])
  }

  @Test("Test 27: after number ffffffff nothing is sealed or opened") func lastNumber() throws {
    var app = try cipher(nonce: "0001020304050607fffffffe")
    var device = try cipher(nonce: "0001020304050607fffffffe")
    #expect(device.canAnswer)
    #expect(try device.open(app.seal([1])) == [1])
    #expect(!device.canAnswer)
    #expect(try app.open(device.seal([2])) == [2])
    #expect(throws: ProtocommSecurityError.exhausted) { try app.seal([3]) }
    #expect(throws: ProtocommSecurityError.exhausted) { try device.open([UInt8](repeating: 0, count: 17)) }
  }
}
