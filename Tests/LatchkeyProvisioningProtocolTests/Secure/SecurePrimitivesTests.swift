import LatchkeyByteCoding
import Testing

@testable import LatchkeyProvisioningProtocol

/// The value of what may have none. `#require` takes no call that changes its receiver.
private func require<Value>(_ value: Value?) throws -> Value { try #require(value) }

@Suite struct SecurePrimitivesTests {
  @Test(
    "X25519 multiplies as RFC 7748 5.2 does",
    arguments: [
      (
        "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
      ),
      (
        "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
        "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
        "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"
      ),
    ]) func multiplies(scalar: String, point: String, product: String)
  {
    #expect(X25519.multiply(SecretBytes(hex(scalar)), hex(point))?.array() == hex(product))
  }

  @Test("The shared secret is that of RFC 7748 6.1") func agrees() {
    let alice = SecretBytes(hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
    let bob = SecretBytes(hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
    let shared = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
    #expect(X25519.multiply(alice, X25519.publicKey(bob) ?? [])?.array() == shared)
    #expect(X25519.multiply(bob, X25519.publicKey(alice) ?? [])?.array() == shared)
  }

  @Test(
    "Points of low order give nothing, and others what the draft says", arguments: SecureVectors.all.lowOrder.points)
  func lowOrderPoints(_ pair: [String]) {
    let product = X25519.multiply(SecretBytes(hex(SecureVectors.all.lowOrder.scalar)), hex(pair[0]))
    #expect(product?.array() == (hex(pair[1]).allSatisfy { $0 == 0 } ? nil : hex(pair[1])))
  }

  @Test("Scalars and points of other lengths give nothing", arguments: [0, 1, 31, 33, 64]) func lengths(_ count: Int) {
    let good = [UInt8](repeating: 9, count: 32)
    let other = [UInt8](repeating: 9, count: count)
    #expect(X25519.multiply(SecretBytes(other), good) == nil)
    #expect(X25519.multiply(SecretBytes(good), other) == nil)
    #expect(X25519.publicKey(SecretBytes(other)) == nil)
  }

  @Test("The map to the curve gives what big integers give", arguments: SecureVectors.all.elligator)
  func elligator(_ pair: [String]) {
    #expect(Elligator2.map(hex(pair[0])) == hex(pair[1]))
  }

  @Test("Field elements come back as their representative below p")
  func representatives() {
    let p = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
    let zero = [UInt8](repeating: 0, count: 32)
    let one = [1] + zero.dropFirst()
    #expect(Field25519(bytes: p).bytes == zero)
    #expect(Field25519(bytes: [0xEE] + p.dropFirst()).bytes == one)
    #expect(Field25519(bytes: [0xEC] + p.dropFirst()).bytes == [0xEC] + p.dropFirst())
    #expect((-Field25519(1)).bytes == [0xEC] + p.dropFirst())
    #expect((-Field25519(0)).bytes == zero)
    #expect(Field25519(bytes: [UInt8](repeating: 0xFF, count: 32)).bytes == [18] + zero.dropFirst())
    #expect(Field25519(0).inverted().bytes == zero)
    #expect((Field25519(12345).inverted() * Field25519(12345)).bytes == one)
    #expect(Field25519(4).legendreSymbol().bytes == one)
    #expect(Field25519(2).legendreSymbol().bytes == [0xEC] + p.dropFirst())
  }

  @Test("CPace gives the generator, the shares and the key of the draft") func cpace() throws {
    let run = SecureVectors.all.cpace
    let password = SecretBytes(hex(run.password))
    let string = CPace.generatorString(password: password, channel: hex(run.channel), session: hex(run.session))
    #expect(string == hex(run.generatorString))
    let generator = CPace.generator(password: password, channel: hex(run.channel), session: hex(run.session))
    #expect(generator == hex(run.generator))
    let (ya, yb) = (SecretBytes(hex(run.ya)), SecretBytes(hex(run.yb)))
    #expect(X25519.multiply(ya, generator)?.array() == hex(run.Ya))
    #expect(X25519.multiply(yb, generator)?.array() == hex(run.Yb))
    let shared = try #require(X25519.multiply(ya, hex(run.Yb)))
    #expect(shared.array() == hex(run.K))
    #expect(X25519.multiply(yb, hex(run.Ya))?.array() == hex(run.K))
    let key = CPace.sessionKey(
      session: hex(run.session), shared: shared, initiator: (hex(run.Ya), hex(run.ADa)),
      responder: (hex(run.Yb), hex(run.ADb)))
    #expect(key.array() == hex(run.ISK))
  }

  @Test("Lengths before strings are LEB128, as in the draft's A.1") func lengthPrefixes() {
    #expect(CPace.lengthPrefixed([]) == [0])
    #expect(
      CPace.lengthPrefixed(Array("1234".utf8), Array("5".utf8), [], Array("678".utf8))
        == hex("043132333401350003363738"))
    #expect(CPace.lengthPrefixed([UInt8](0..<127)).prefix(2) == [0x7F, 0])
    #expect(CPace.lengthPrefixed([UInt8](0..<128)).prefix(3) == [0x80, 1, 0])
    #expect(CPace.lengthPrefixed([UInt8](repeating: 7, count: 1236)).prefix(3) == [0xD4, 0x09, 7])
  }

  @Test("A password that fills the first block leaves no padding", arguments: [110, 116, 117, 118, 127, 128, 200])
  func longPasswords(_ count: Int) {
    let password = [UInt8](repeating: 1, count: count)
    let string = CPace.generatorString(password: SecretBytes(password), channel: [2], session: [3])
    let start = CPace.lengthPrefixed(Array("CPace255".utf8), password)
    let padding = max(0, 127 - start.count)
    #expect(string == start + CPace.lengthPrefixed([UInt8](repeating: 0, count: padding), [2], [3]))
  }

  @Test("Noise NNpsk0 writes and reads Cacophony's messages") func noise() throws {
    let vector = SecureVectors.all.noise
    func side(_ secret: String) -> NoiseNNpsk0 {
      NoiseNNpsk0(
        prologue: hex(vector.init_prologue), preSharedKey: SecretBytes(hex(vector.init_psks[0])),
        secret: SecretBytes(hex(secret)))
    }
    var (initiator, responder) = (side(vector.init_ephemeral), side(vector.resp_ephemeral))
    let first = try require(initiator.firstMessage(payload: hex(vector.messages[0].payload)))
    #expect(first == hex(vector.messages[0].ciphertext))
    let (payload, peer) = try require(responder.readFirst(first))
    #expect(payload == hex(vector.messages[0].payload))
    let second = try require(responder.secondMessage(to: peer, payload: hex(vector.messages[1].payload)))
    #expect(second == hex(vector.messages[1].ciphertext))
    #expect(initiator.readSecond(second) == hex(vector.messages[1].payload))
    let (ours, theirs) = (initiator.split(), responder.split())
    #expect(ours.hash == hex(vector.handshake_hash))
    #expect(theirs.hash == ours.hash)
    var toResponder = SecureRecordCipher(ours.initiatorKey)
    var toInitiator = SecureRecordCipher(theirs.responderKey)
    for (index, message) in vector.messages.dropFirst(2).enumerated() {
      let sealed =
        index.isMultiple(of: 2)
        ? toResponder.seal(hex(message.payload), authenticating: [])
        : toInitiator.seal(hex(message.payload), authenticating: [])
      #expect(sealed == hex(message.ciphertext))
    }
  }

  @Test("A message of Noise that is altered in any byte does not verify") func alteredNoise() throws {
    let psk = SecretBytes([UInt8](repeating: 5, count: 32))
    func side(_ byte: UInt8, psk: SecretBytes) -> NoiseNNpsk0 {
      NoiseNNpsk0(prologue: [1], preSharedKey: psk, secret: SecretBytes([UInt8](repeating: byte, count: 32)))
    }
    var initiator = side(1, psk: psk)
    let first = try require(initiator.firstMessage())
    for index in first.indices {
      var altered = first
      altered[index] ^= 1
      var responder = side(2, psk: psk)
      #expect(responder.readFirst(altered) == nil)
    }
    var other = side(2, psk: SecretBytes([UInt8](repeating: 6, count: 32)))
    #expect(other.readFirst(first) == nil)
    var responder = side(2, psk: psk)
    let (_, peer) = try require(responder.readFirst(first))
    let second = try require(responder.secondMessage(to: peer))
    for index in second.indices {
      var altered = second
      altered[index] ^= 0x80
      var copy = initiator
      // Bit 255 of a coordinate is not part of it, but of the transcript.
      #expect(copy.readSecond(altered) == nil)
    }
    #expect(initiator.readSecond(second) == [])
  }

  @Test("ML-KEM-768 makes NIST's key from its seed, and opens what another library has encapsulated") func mlkem()
    throws
  {
    let vector = SecureVectors.all.mlkem
    #expect(MLKEM.publicKey(seed: SecretBytes(hex(vector.seed))) == hex(vector.publicKey))
    let transcript = SecureTranscript.all.hybrid
    let seed = SecretBytes(hex(transcript["seed"] ?? ""))
    #expect(MLKEM.decapsulate(hex(transcript["ct"] ?? ""), seed: seed)?.array() == hex(transcript["ss"] ?? ""))
    let key = try #require(MLKEM.publicKey(seed: seed))
    let (ciphertext, secret) = try #require(MLKEM.encapsulate(key))
    #expect(MLKEM.decapsulate(ciphertext, seed: seed)?.array() == secret.array())
    var altered = ciphertext
    altered[500] ^= 1
    #expect(MLKEM.decapsulate(altered, seed: seed)?.array() != secret.array())
    #expect(MLKEM.decapsulate(Array(ciphertext.dropLast()), seed: seed) == nil)
    #expect(MLKEM.encapsulate(Array(key.dropLast())) == nil)
    // A coefficient that is no number modulo 3329 (FIPS 203 7.2).
    #expect(MLKEM.encapsulate([UInt8](repeating: 0xFF, count: 1184)) == nil)
  }

  @Test("A record opens once, in its place, under its own data") func records() throws {
    let key = SecretBytes([UInt8](repeating: 7, count: 32))
    var (sender, receiver) = (SecureRecordCipher(key), SecureRecordCipher(key))
    let first = try require(sender.seal([1, 2, 3], authenticating: [4]))
    let second = try require(sender.seal([], authenticating: [4]))
    #expect(receiver.open(second, authenticating: [4]) == nil)
    #expect(receiver.open(first, authenticating: [5]) == nil)
    #expect(receiver.open(Array(first.dropLast()), authenticating: [4]) == nil)
    #expect(receiver.open([UInt8](repeating: 0, count: 15), authenticating: [4]) == nil)
    #expect(receiver.open(first, authenticating: [4]) == [1, 2, 3])
    #expect(receiver.open(first, authenticating: [4]) == nil)
    #expect(receiver.open(second, authenticating: [4]) == [])
  }

  @Test("A key seals and opens 2^32 records and not one more") func counterEnds() throws {
    let key = SecretBytes([UInt8](repeating: 7, count: 32))
    func last() -> SecureRecordCipher {
      SecureRecordCipher(key, counter: SecureRecordCipher.limit - 1)
    }
    var (sender, receiver) = (last(), last())
    let sealed = try require(sender.seal([1], authenticating: []))
    #expect(receiver.open(sealed, authenticating: []) == [1])
    #expect(sender.seal([1], authenticating: []) == nil)
    #expect(receiver.open(sealed, authenticating: []) == nil)
  }
}
