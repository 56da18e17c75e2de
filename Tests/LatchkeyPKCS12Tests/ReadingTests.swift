import LatchkeyByteCoding
import Testing

@testable import LatchkeyPKCS12

@Suite struct ReadingTests {
  @Test("Keys in the clear, bags in bags, and all bags that hold nothing of ours are read past")
  func bags() throws {
    let sample = try Sample()
    let crl = DERObjectIdentifier(content: Array(DERObjectIdentifier.keyBag.content.dropLast()) + [4])
    let secret = DERObjectIdentifier(content: Array(DERObjectIdentifier.keyBag.content.dropLast()) + [5])
    let unknown = DERObjectIdentifier(1, 2, 3, 4)
    let sdsi = DERObjectIdentifier(content: Array(DERObjectIdentifier.x509Certificate.content.dropLast()) + [2])
    let inner = MadeFile.sequence([MadeFile.certificate(sample.certificate), MadeFile.bag(secret, [2, 1, 1])])
    let bytes = MadeFile.file(
      MadeFile.clear(
        MadeFile.bag(crl, [5, 0]), MadeFile.bag(.keyBag, sample.key),
        MadeFile.bag(.certificateBag, MadeFile.sequence([MadeFile.oid(sdsi), [0xA0, 2, 5, 0]])),
        MadeFile.bag(.safeContentsBag, inner), MadeFile.bag(unknown, [4, 1, 9])),
      MadeFile.clear(MadeFile.bag(.keyBag, sample.key)), MadeFile.clear())
    let file = try PKCS12File(reading: bytes, password: MadeFile.password)
    #expect(file.keys.map(\.pkcs8) == [sample.key, sample.key])
    #expect(file.certificates.map(\.der) == [sample.certificate])
    #expect(file.identities.count == 2)
  }

  @Test("Names and identifiers are read, the first of each, in both kinds of text")
  func attributes() throws {
    let sample = try Sample()
    let name = MadeFile.attribute(.friendlyName, MadeFile.value(0x1E, [0x26, 0x3A, 0xD8, 0x3D, 0xDE, 0x00]))
    let zero = MadeFile.attribute(.friendlyName, MadeFile.value(0x1E, [0, 0x61, 0, 0, 0, 0]))
    let utf8 = MadeFile.attribute(.friendlyName, MadeFile.value(0x0C, Array("ü".utf8)))
    let id = MadeFile.attribute(.localKeyID, MadeFile.value(0x04, [1, 2]), MadeFile.value(0x04, [3]))
    let other = MadeFile.attribute(DERObjectIdentifier(1, 2, 3), [5, 0])
    let none = MadeFile.sequence([MadeFile.oid(.friendlyName), MadeFile.value(0x31, [])])
    let all: [[[UInt8]]?] = [[other, name, id, zero], [zero], [utf8], [none, id], [], nil]
    let bags = MadeFile.sequence(all.map { MadeFile.certificate(sample.certificate, attributes: $0) })
    let file = try PKCS12File(reading: MadeFile.file(MadeFile.clear(contents: bags)), password: MadeFile.password)
    #expect(file.certificates.map(\.friendlyName) == ["☺\u{1F600}", "a", "ü", nil, nil, nil])
    #expect(file.certificates.map(\.localKeyID) == [[1, 2], nil, nil, [1, 2], nil, nil])
  }

  @Test(
    "Attributes of another type than theirs are refused",
    arguments: [
      (DERObjectIdentifier.friendlyName, "01 01 FF"), (.friendlyName, "04 01 41"), (.friendlyName, "1E 01 41"),
      (.localKeyID, "01 01 FF"), (.localKeyID, "1E 02 00 41"), (.localKeyID, "30 00"),
    ])
  func wrongAttributes(type: DERObjectIdentifier, value: String) throws {
    let sample = try Sample()
    let attribute = MadeFile.attribute(type, try Hexadecimal.decode(value))
    for bag in [
      MadeFile.certificate(sample.certificate, attributes: [attribute]),
      MadeFile.bag(.keyBag, sample.key, attributes: [attribute]),
    ] {
      #expect(Refusal.of(MadeFile.file(MadeFile.clear(bag))) == .malformed)
    }
  }

  @Test("Every SHA makes a MAC, and no rounds are one round", arguments: DigestAlgorithm.allCases)
  func digests(digest: DigestAlgorithm) throws {
    let safe = MadeFile.clear(MadeFile.certificate(try Sample().certificate))
    #expect(Refusal.of(MadeFile.file(safe, digest: digest)) == nil)
    #expect(Refusal.of(MadeFile.file(safe, digest: digest), password: "Secret") == .wrongPassword)
    let content = MadeFile.sequence([safe])
    var mac = MadeFile.mac(of: content, digest, .written(MadeFile.password), 1)
    #expect(mac.suffix(3) == [2, 1, 1])
    mac.removeLast(3)
    mac[1] -= 3
    #expect(Refusal.of(MadeFile.file(content: content, macData: mac)) == nil)
  }

  @Test("A whole file in BER, with indefinite lengths and strings in parts, is the same file")
  func ber() throws {
    let sample = try Sample()
    let content = MadeFile.sequence([MadeFile.clear(MadeFile.bag(.keyBag, try BERWriter.rewritten(sample.key)))])
    for inParts in [false, true] {
      let der = MadeFile.file(content: inParts ? try BERWriter.rewritten(content) : content)
      let bytes = try BERWriter.rewritten(der)
      #expect(bytes.starts(with: [0x30, 0x80]))
      let file = try PKCS12File(reading: bytes, password: MadeFile.password)
      #expect(file.keys.map(\.pkcs8) == [sample.key])
    }
  }

  @Test("The encrypted content of an encrypted safe may be in parts")
  func encryptedInParts() throws {
    let bytes = try Sample().file.encoded(password: "x", profile: .modern.quick, random: notRandom)
    let file = try PKCS12File(reading: BERWriter.rewritten(bytes), password: "x")
    #expect(file.certificates.count == 1)
    #expect(file.keys.count == 1)
  }

  @Test("A truststore of Java has certificates alone")
  func truststore() throws {
    let file = try PKCS12File(reading: Fixtures.bytes("pyca/java-truststore.p12"), password: nil)
    #expect(file.certificates.count == 2)
    #expect(file.keys.isEmpty)
    #expect(file.identities.isEmpty)
  }

  @Test("PBES2 derives by every HMAC that PBKDF2 has, by SHA-1 where none is named, and by scrypt", arguments: 0..<7)
  func derivations(which: Int) throws {
    let sample = try Sample()
    let digests: [DigestAlgorithm] = [.sha1, .sha224, .sha256, .sha384, .sha512]
    let salt = Array("salt".utf8)
    let (derivation, text): (KeyDerivation, [UInt8])
    switch which {
    case 0..<5:
      derivation = .pbkdf2(salt: salt, rounds: 3, keyLength: nil, digest: digests[which])
      let prf = MadeFile.sequence([MadeFile.oid(digests[which].hmacIdentifier), [5, 0]])
      text = MadeFile.sequence([
        MadeFile.oid(.pbkdf2), MadeFile.sequence([MadeFile.value(4, salt), MadeFile.number(3), prf]),
      ])
    case 5:
      derivation = .pbkdf2(salt: salt, rounds: 3, keyLength: nil, digest: .sha1)
      text = MadeFile.sequence([
        MadeFile.oid(.pbkdf2),
        MadeFile.sequence([MadeFile.value(4, salt), MadeFile.number(3), MadeFile.number(16)]),
      ])
    default:
      derivation = .scrypt(salt: salt, n: 16, r: 2, p: 3, keyLength: nil)
      text = MadeFile.sequence([
        MadeFile.oid(.scrypt),
        MadeFile.sequence([MadeFile.value(4, salt)] + [16, 2, 3].map(MadeFile.number)),
      ])
    }
    for (cipher, size) in [(DERObjectIdentifier.aes128, 16), (.aes192, 24), (.aes256, 32), (.tripleDES, 24)] {
      guard which != 5 || size == 16 else { continue }
      let vector = notRandom(cipher == .tripleDES ? 8 : 16)
      let plain = MadeFile.sequence([MadeFile.bag(.keyBag, sample.key)])
      let key = try derivation.derive(PasswordForm.written(MadeFile.password).narrow, count: size)
      let encrypted = try TestCipher.encrypt(plain, key: key, vector: vector)
      let algorithm = MadeFile.sequence([
        MadeFile.oid(.pbes2),
        MadeFile.sequence([text, MadeFile.sequence([MadeFile.oid(cipher), MadeFile.value(4, vector)])]),
      ])
      let bytes = MadeFile.file(MadeFile.encrypted(algorithm, encrypted))
      let file = try PKCS12File(reading: bytes, password: MadeFile.password)
      #expect(file.keys.map(\.pkcs8) == [sample.key])
    }
  }

  @Test("The format's own ciphers open: 3DES of two and three keys, RC2 of 40 and 128 bits", arguments: 3...6)
  func ownCiphers(which: UInt8) throws {
    let sample = try Sample()
    let salt = notRandom(8)
    let form = PasswordForm.written(MadeFile.password)
    let plain = MadeFile.sequence([MadeFile.bag(.keyBag, sample.key)])
    let size = [3: 24, 4: 16, 5: 16, 6: 5][which, default: 0]
    let (key, vector) = EncryptionScheme.derive(form, salt, 2, size)
    let text =
      which < 5
      ? BlockChaining.encrypt(plain, with: try #require(TripleDES(key: key)), vector: vector)
      : BlockChaining.encrypt(plain, with: try #require(RC2(key: key, effectiveBits: 8 * size)), vector: vector)
    let type = DERObjectIdentifier(content: Array(DERObjectIdentifier.pbe3DES.content.dropLast()) + [which])
    let algorithm = MadeFile.sequence([
      MadeFile.oid(type), MadeFile.sequence([MadeFile.value(4, salt), MadeFile.number(2)]),
    ])
    let file = try PKCS12File(
      reading: MadeFile.file(MadeFile.encrypted(algorithm, text)), password: MadeFile.password)
    #expect(file.keys.map(\.pkcs8) == [sample.key])
  }
}
