import Crypto
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import Testing

@Suite("Structures of a TPM")
struct TPMStructureTests {
  @Test("a certification is read field by field")
  func attest() throws {
    let attest = try TPMAttest(encoded: Composed().certifyInfo)
    #expect(attest.magic == 0xFF54_4347)
    #expect(attest.type == 0x8017)
    #expect(attest.qualifiedSigner == [0, 11] + [UInt8](repeating: 1, count: 32))
    #expect(attest.extraData == Array(SHA256.hash(data: Composed.challenge)))
    #expect([attest.clock, UInt64(attest.resetCount), UInt64(attest.restartCount)] == [123_456, 1, 2])
    #expect(attest.isClockSafe)
    #expect(attest.firmwareVersion == 7)
    #expect(attest.name.count == 34)
    #expect(attest.qualifiedName == [0, 11] + [UInt8](repeating: 2, count: 32))
  }

  @Test("a certification cannot be cut, nor have more bytes")
  func attestLength() {
    let bytes = Composed().certifyInfo
    for count in bytes.indices {
      #expect(throws: AttestationFormatError.self) { try TPMAttest(encoded: Array(bytes[..<count])) }
    }
    #expect(throws: AttestationFormatError.self) { try TPMAttest(encoded: bytes + [0]) }
    var unsafe = bytes
    unsafe[unsafe.count - 2 * 36 - 9] = 2
    #expect(throws: AttestationFormatError.structure("certInfo", .invalidValue(field: "safe"))) {
      try TPMAttest(encoded: unsafe)
    }
    var long = Composed()
    long.extraData = [UInt8](repeating: 0, count: 67)
    #expect(throws: AttestationFormatError.structure("certInfo", .invalidValue(field: "extraData"))) {
      try TPMAttest(encoded: long.certifyInfo)
    }
  }

  @Test("a key on a curve is read field by field")
  func publicArea() throws {
    let composed = Composed()
    let area = try TPMPublic(encoded: composed.publicArea)
    #expect(area.nameAlgorithm == .sha256)
    #expect(area.attributes == composed.attributes)
    #expect(area.authPolicy == TPMPolicy.authValue)
    #expect(area.symmetric == nil)
    #expect(area.scheme == nil)
    #expect(area.x963 == [UInt8](composed.key.publicKey.x963Representation))
  }

  @Test("a key cannot be cut, nor have more bytes, nor be of another type")
  func publicAreaLength() {
    var composed = Composed()
    let bytes = composed.publicArea
    for count in bytes.indices {
      #expect(throws: AttestationFormatError.self) { try TPMPublic(encoded: Array(bytes[..<count])) }
    }
    #expect(throws: AttestationFormatError.self) { try TPMPublic(encoded: bytes + [0]) }
    composed.publicType = TPMAlgorithm(rawValue: 0x0008)
    #expect(throws: AttestationFormatError.structure("pubArea", .invalidValue(field: "type"))) {
      try TPMPublic(encoded: composed.publicArea)
    }
  }

  /// The default template of an RSA endorsement key (TCG EK Credential Profile, template L-1), its modulus all 0xAB.
  @Test("an endorsement key's template is read")
  func endorsementKey() throws {
    let bytes = try Hexadecimal.decode(
      "0001000b000300b20020837197674484b3f81a90cc8d46a5d724fd52d76e06520b64f2a1da1b331469aa"
        + "0006008000430010080000000000" + "0100" + String(repeating: "ab", count: 256))
    let area = try TPMPublic(encoded: bytes)
    #expect(area.key == .rsa(bits: 2048, exponent: 0, modulus: [UInt8](repeating: 0xAB, count: 256)))
    #expect(area.symmetric == .init(algorithm: .aes, keyBits: 128, mode: .cfb))
    #expect(area.attributes.contains([.fixedTPM, .fixedParent, .sensitiveDataOrigin, .restricted, .decrypt]))
    #expect(area.attributes.contains(.adminWithPolicy))
    #expect(area.attributes.isDisjoint(with: [.userWithAuth, .sign]))
    #expect(area.x963 == nil)
  }

  @Test("a name is the number of its hash function and the digest")
  func names() {
    var composed = Composed()
    let sha256 = TPMPublic.name(of: composed.publicArea)
    #expect(sha256 == [0x00, 0x0B] + Array(SHA256.hash(data: composed.publicArea)))
    composed.nameAlgorithm = .sha384
    #expect(TPMPublic.name(of: composed.publicArea) == [0x00, 0x0C] + Array(SHA384.hash(data: composed.publicArea)))
    composed.nameAlgorithm = .sha512
    #expect(TPMPublic.name(of: composed.publicArea) == [0x00, 0x0D] + Array(SHA512.hash(data: composed.publicArea)))
    composed.nameAlgorithm = .sha1
    #expect(TPMPublic.name(of: composed.publicArea) == nil)
    #expect(TPMPublic.name(of: [0, 0x23, 0, 0x0B]) == nil)
  }

  @Test("signatures come back as they were, and cannot be cut")
  func signatures() throws {
    let signatures = [
      TPMSignature.ecdsa(.sha256, r: [1], s: [UInt8](repeating: 2, count: 32)),
      .rsassa(.sha256, [UInt8](repeating: 3, count: 256)),
    ]
    for signature in signatures {
      let bytes = signature.encoded
      #expect(try TPMSignature(encoded: bytes) == signature)
      for count in bytes.indices {
        #expect(throws: AttestationFormatError.self) { try TPMSignature(encoded: Array(bytes[..<count])) }
      }
      #expect(throws: AttestationFormatError.self) { try TPMSignature(encoded: bytes + [0]) }
    }
    #expect(signatures[0].p256 == [UInt8](repeating: 0, count: 31) + [1] + [UInt8](repeating: 2, count: 32))
    #expect(signatures[1].p256 == nil)
    #expect(TPMSignature.ecdsa(.sha384, r: [1], s: [1]).p256 == nil)
    #expect(TPMSignature.ecdsa(.sha256, r: [], s: [1]).p256 == nil)
    #expect(TPMSignature.ecdsa(.sha256, r: [UInt8](repeating: 1, count: 33), s: [1]).p256 == nil)
  }
}
