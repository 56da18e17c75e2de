import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

/// Security 1, both ends, against the values of Espressif's client.
@Suite struct X25519HandshakeTests {
  private func app(_ vector: ProtocommVectors.Security1) throws -> X25519App {
    try X25519App(
      code: SecretBytes(Array(vector.code.utf8)), random: ScriptedRandom([hex(vector.clientPrivateKey)]).draw)
  }

  private func device(_ vector: ProtocommVectors.Security1, clientKey: [UInt8], code: String? = nil) throws
    -> X25519Device
  {
    try X25519Device(
      clientKey: clientKey, code: SecretBytes(Array((code ?? vector.code).utf8)),
      random: ScriptedRandom([hex(vector.devicePrivateKey), hex(vector.deviceRandom)]).draw)
  }

  private func clientKey(_ vector: ProtocommVectors.Security1) throws -> [UInt8] {
    guard case .x25519Command0(let key) = try SessionMessage(hex(vector.command0)) else {
      throw ProtocommSecurityError.outOfPlace
    }
    return key
  }

  private func verify(_ vector: ProtocommVectors.Security1) throws -> [UInt8] {
    guard case .x25519Command1(let verify) = try SessionMessage(hex(vector.command1)) else {
      throw ProtocommSecurityError.outOfPlace
    }
    return verify
  }

  @Test(
    "Tests 6 and 7: all bytes of both ends are equal, over the counter's carry too",
    arguments: ProtocommVectors.all.security1)
  func equalsEspressif(_ vector: ProtocommVectors.Security1) throws {
    var app = try app(vector)
    #expect(app.command.encoded == hex(vector.command0))
    let device = try device(vector, clientKey: clientKey(vector))
    #expect(device.response.encoded == hex(vector.response0))
    let command = try app.answer(device.response)
    #expect(command.encoded == hex(vector.command1))
    var (response, deviceCipher) = try device.finish(verify(vector))
    #expect(response.encoded == hex(vector.response1))
    var appCipher = try app.finish(response)
    for (index, message) in vector.messages.enumerated() {
      if index % 2 == 0 {
        #expect(try appCipher.seal(hex(message.plain)) == hex(message.cipher))
        #expect(try deviceCipher.open(hex(message.cipher)) == hex(message.plain))
      } else {
        #expect(try deviceCipher.seal(hex(message.plain)) == hex(message.cipher))
        #expect(try appCipher.open(hex(message.cipher)) == hex(message.plain))
      }
    }
  }

  @Test("Test 8: a proof of 0, 31 or 33 bytes is refused", arguments: [0, 31, 33])
  func proofLengths(_ length: Int) throws {
    let vector = ProtocommVectors.all.security1[0]
    let device = try device(vector, clientKey: clientKey(vector))
    let proof = try Array((verify(vector) + [0]).prefix(length))
    #expect(throws: ProtocommSecurityError.length) { _ = try device.finish(proof) }
  }

  @Test("A proof with one bit changed is refused, whichever it is") func alteredProofs() throws {
    let vector = ProtocommVectors.all.security1[0]
    let device = try device(vector, clientKey: clientKey(vector))
    for index in 0..<32 {
      var proof = try verify(vector)
      proof[index] ^= 1 << UInt8(index % 8)
      #expect(throws: ProtocommSecurityError.wrongProof) { _ = try device.finish(proof) }
    }
  }

  /// Points of small order (RFC 7748 section 7, and libsodium's list).
  static let weakKeys = [
    String(repeating: "00", count: 32), "01" + String(repeating: "00", count: 31),
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  ]

  @Test("Test 9: a client's key of small order is refused, zero first of all", arguments: weakKeys)
  func weakClientKeys(_ key: String) {
    #expect(throws: ProtocommSecurityError.weakKey) {
      _ = try device(ProtocommVectors.all.security1[0], clientKey: hex(key))
    }
  }

  @Test("A client's key of another length is refused", arguments: [0, 31, 33, 64]) func keyLengths(_ length: Int) {
    #expect(throws: ProtocommSecurityError.length) {
      _ = try device(ProtocommVectors.all.security1[0], clientKey: [UInt8](repeating: 9, count: length))
    }
  }

  @Test("Test 10: a device's weak key, our own key, 15 random bytes and a status are refused") func badResponses()
    throws
  {
    let vector = ProtocommVectors.all.security1[0]
    guard case .x25519Response0(_, let key, let random) = try SessionMessage(hex(vector.response0)) else { return }
    for weak in Self.weakKeys {
      var app = try app(vector)
      #expect(throws: ProtocommSecurityError.weakKey) {
        _ = try app.answer(.x25519Response0(.success, deviceKey: hex(weak), random: random))
      }
    }
    for (message, error) in [
      (
        SessionMessage.x25519Response0(.success, deviceKey: try clientKey(vector), random: random),
        ProtocommSecurityError.weakKey
      ),
      (.x25519Response0(.success, deviceKey: key, random: Array(random.dropLast())), .length),
      (.x25519Response0(.success, deviceKey: key, random: random + [0]), .length),
      (.x25519Response0(.success, deviceKey: Array(key.dropLast()), random: random), .length),
      (.x25519Response0(.tooManySessions, deviceKey: key, random: random), .refused(.tooManySessions)),
      (.x25519Command0(clientKey: key), .outOfPlace),
      (.srpResponse0(.success, deviceKey: key, salt: random), .outOfPlace),
    ] {
      var app = try app(vector)
      #expect(throws: error) { _ = try app.answer(message) }
    }
  }

  @Test("Test 11: a wrong code is refused, and so is none") func wrongCode() throws {
    let vector = ProtocommVectors.all.security1[0]
    for code in ["abcd1235", "", "ABCD1234"] {
      let device = try device(vector, clientKey: clientKey(vector), code: code)
      #expect(throws: ProtocommSecurityError.wrongProof) { _ = try device.finish(verify(vector)) }
    }
  }

  @Test("Test 12: a device's proof one bit off is refused, and so is our own returned") func deviceProofs() throws {
    let vector = ProtocommVectors.all.security1[0]
    guard case .x25519Response1(_, let proof) = try SessionMessage(hex(vector.response1)) else { return }
    let own = try verify(vector)
    for (message, error) in [
      (
        SessionMessage.x25519Response1(.success, verify: [proof[0] ^ 0x80] + proof.dropFirst()),
        ProtocommSecurityError.wrongProof
      ),
      (.x25519Response1(.success, verify: own), .wrongProof), (.x25519Response1(.success, verify: []), .length),
      (.x25519Response1(.cryptographicError, verify: proof), .refused(.cryptographicError)),
      (.x25519Command1(verify: own), .outOfPlace),
    ] {
      var app = try app(vector)
      _ = try app.answer(SessionMessage(hex(vector.response0)))
      #expect(throws: error) { _ = try app.finish(message) }
      // The handshake is over: the right proof comes too late.
      if error != .outOfPlace {
        #expect(throws: ProtocommSecurityError.outOfPlace) { _ = try app.finish(SessionMessage(hex(vector.response1))) }
      }
    }
  }
}
