@testable import LatchkeyEnclaveKeys
import Foundation
import Testing

@Suite("Encodings of keys")
struct KeyEncodingTests {
  @Test("a key is the same in every form that other programs write", arguments: KeyFixture.all)
  func sameInEveryForm(fixture: KeyFixture) throws {
    let key = try PrivateKey(pemRepresentation: fixture.pkcs8)
    #expect(try PrivateKey(pemRepresentation: fixture.traditional).externalRepresentation == key.externalRepresentation)
    #expect(try PrivateKey(fileContents: Array(fixture.pkcs8.utf8)).publicKey == key.publicKey)
    #expect(try PrivateKey(fileContents: PEMDocument.decode(fixture.pkcs8)[0].bytes).publicKey == key.publicKey)
    #expect(
      try PrivateKey(externalRepresentation: key.externalRepresentation, family: key.publicKey.family).publicKey
        == key.publicKey)
    let publicKey = try PublicKey(pemRepresentation: fixture.publicPEM)
    #expect(publicKey == key.publicKey)
    for file in [
      Array(fixture.publicPEM.utf8), Array(fixture.openSSH.utf8), Array((fixture.openSSH + " me@here\n").utf8),
      publicKey.derRepresentation, publicKey.externalRepresentation,
      Array(("text before\r\n" + fixture.publicPEM.replacing("\n", with: "\r\n")).utf8),
    ] { #expect(try PublicKey(fileContents: file) == publicKey) }
    let signature = try key.sign([1, 2, 3], by: algorithm(key.type))
    #expect(try publicKey.isValid(signature, of: [1, 2, 3], by: algorithm(key.type)))
  }

  @Test("The encodings equal those of OpenSSL and OpenSSH, byte by byte", arguments: KeyFixture.all)
  func writes(fixture: KeyFixture) throws {
    let key = try PublicKey(pemRepresentation: fixture.publicPEM)
    #expect(key.pemRepresentation == fixture.publicPEM + "\n")
    #expect(key.openSSHRepresentation() == fixture.openSSH)
    #expect(key.openSSHRepresentation(comment: "a\n\u{2028}b") == fixture.openSSH + " ab")
    #expect(try PublicKey(openSSHBlob: key.openSSHBlob) == key)
    #expect(key.applicationLabel == DigestAlgorithm.sha1.hash(key.externalRepresentation))
  }

  @Test("compressed points and PKCS #1's public keys are read")
  func otherForms() throws {
    let compressed = try PublicKey(pemRepresentation: KeyFixture.compressedPublicPEM)
    #expect(compressed == (try PublicKey(pemRepresentation: KeyFixture.p256.publicPEM)))
    let point = compressed.externalRepresentation
    let short = [point[64] & 1 | 2] + point[1...32]
    #expect(try PublicKey(externalRepresentation: short, family: .ellipticCurve) == compressed)
    let rsa = try PublicKey(pemRepresentation: KeyFixture.rsaPublicPKCS1PEM)
    #expect(rsa == (try PublicKey(pemRepresentation: KeyFixture.rsa.publicPEM)))
    #expect(try PublicKey(fileContents: rsa.externalRepresentation) == rsa)
  }

  @Test("An encrypted key or one of another kind is refused with the next step")
  func unsupported() throws {
    for text in [
      KeyFixture.encryptedPKCS8, KeyFixture.encryptedSEC1, KeyFixture.openSSHPrivate, KeyFixture.ed25519,
      KeyFixture.secp256k1,
    ] {
      let error = #expect(throws: KeyError.self) { try PrivateKey(pemRepresentation: text) }
      guard case .unsupported = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    for text in [KeyFixture.explicitPublicPEM, KeyFixture.secp256k1Public] {
      let error = #expect(throws: KeyError.self) { try PublicKey(pemRepresentation: text) }
      guard case .unsupported = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    #expect(throws: KeyError.self) { try PublicKey(pemRepresentation: KeyFixture.p256.pkcs8) }
    #expect(throws: KeyError.self) { try PrivateKey(pemRepresentation: KeyFixture.p256.publicPEM) }
    #expect(throws: KeyError.self) { try PrivateKey(fileContents: Array(KeyFixture.p256.openSSH.utf8)) }
  }

  @Test("no byte of an encoding may be missing, and none be added", arguments: KeyFixture.all)
  func lengths(fixture: KeyFixture) throws {
    let key = try PrivateKey(pemRepresentation: fixture.pkcs8)
    let whole = [
      key.publicKey.derRepresentation, key.publicKey.openSSHBlob, key.publicKey.externalRepresentation,
    ]
    let readers: [([UInt8]) throws -> PublicKey] = [
      { try PublicKey(derRepresentation: $0) }, { try PublicKey(openSSHBlob: $0) },
      { try PublicKey(externalRepresentation: $0, family: key.publicKey.family) },
    ]
    for (bytes, read) in zip(whole, readers) {
      #expect(try read(bytes) == key.publicKey)
      #expect(throws: KeyError.self) { try read(bytes + [0]) }
      for count in 0..<bytes.count { #expect(throws: KeyError.self) { try read(Array(bytes[..<count])) } }
    }
    for text in [fixture.pkcs8, fixture.traditional] {
      let bytes = try #require(PEMDocument.decode(text).last).bytes
      _ = try PrivateKey(derRepresentation: bytes)
      #expect(throws: KeyError.self) { try PrivateKey(derRepresentation: bytes + [0]) }
      for count in 0..<bytes.count {
        #expect(throws: KeyError.self) { try PrivateKey(derRepresentation: Array(bytes[..<count])) }
      }
    }
    let private_ = key.externalRepresentation
    for bytes in [private_ + [0], private_.dropLast(), []] {
      #expect(throws: KeyError.self) {
        try PrivateKey(externalRepresentation: Array(bytes), family: key.publicKey.family)
      }
    }
  }

  @Test("halves that do not belong together are refused, and scalars out of range")
  func mismatches() throws {
    for curve in Curve.allCases {
      let one = try PrivateKey.generate(.ellipticCurve(curve))
      let other = try PrivateKey.generate(.ellipticCurve(curve))
      let scalar = try #require(one.scalar)
      let mixed = other.publicKey.externalRepresentation + scalar
      #expect(throws: KeyError.malformed("the private key and the public key do not belong together")) {
        try PrivateKey(externalRepresentation: mixed, family: .ellipticCurve)
      }
      #expect(throws: KeyError.self) { try PrivateKey(scalar: scalar.map { _ in 0 }, on: curve) }
      #expect(throws: KeyError.self) { try PrivateKey(scalar: scalar.map { _ in 255 }, on: curve) }
      var bent = one.publicKey.externalRepresentation
      bent[bent.count - 1] ^= 1
      #expect(throws: KeyError.invalidInput("the point is not on P-\(curve.rawValue)")) {
        try PublicKey(externalRepresentation: bent, family: .ellipticCurve)
      }
      #expect(throws: KeyError.self) { try PublicKey(externalRepresentation: [0], family: .ellipticCurve) }
    }
    var sec1 = try #require(PEMDocument.decode(KeyFixture.p256.traditional).last).bytes
    sec1[20] ^= 1
    #expect(throws: KeyError.self) { try PrivateKey(derRepresentation: sec1) }
    var rsa = try #require(PEMDocument.decode(KeyFixture.rsa.traditional).last).bytes
    rsa[200] ^= 1
    #expect(throws: KeyError.self) { try PrivateKey(derRepresentation: rsa) }
  }

  @Test("PEM that is broken, or too long, is refused")
  func brokenPEM() throws {
    let good = KeyFixture.p256.publicPEM
    for text in [
      "", "-----BEGIN PUBLIC KEY-----", good.replacing("-----END PUBLIC", with: "-----END PRIVATE"),
      good.replacing("M", with: "*"), "-----BEGIN PUBLIC KEY-----\n" + good, good.replacing("=", with: ""),
      "-----END PUBLIC KEY-----\n" + good, good + String(repeating: " ", count: 65_536),
      "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----",
    ] { #expect(throws: KeyError.self) { try PublicKey(pemRepresentation: text) } }
    for line in [
      "", "ecdsa-sha2-nistp256", KeyFixture.p256.openSSH.replacing("nistp256 ", with: "nistp384 "),
      KeyFixture.p256.openSSH + "\n" + KeyFixture.p384.openSSH, "ssh-ed25519 AAAA", "ssh-rsa *",
      "ssh-rsa " + String(repeating: "A", count: 40_000),
    ] { #expect(throws: KeyError.self) { try PublicKey(openSSHRepresentation: line) } }
  }

  @Test("RSA's moduli are 1024 to 8192 bits, and made in steps of 128")
  func rsaSizes() throws {
    for bits in [0, -128, 512, 1023, 1032, 8320, 16_384, Int.max, Int.min] {
      #expect(throws: KeyError.self) { try PrivateKey.generate(.rsa(bits: bits)) }
    }
    let modulus = { (bits: Int) in [UInt8](repeating: 0xFF, count: bits / 8) }
    for bits in [512, 1016, 8200, 16_384] {
      let bytes = RSAKeyCoding.publicKey(modulus: modulus(bits), exponent: [1, 0, 1])
      #expect(throws: KeyError.self) { try PublicKey(externalRepresentation: bytes, family: .rsa) }
    }
    for exponent: [UInt8] in [[], [1], [2], [1, 0, 0], [1, 0, 0, 0, 0, 1, 1]] {
      let bytes = RSAKeyCoding.publicKey(modulus: modulus(1024), exponent: exponent)
      #expect(throws: KeyError.self) { try PublicKey(externalRepresentation: bytes, family: .rsa) }
    }
  }

  private func algorithm(_ type: KeyType) -> KeyAlgorithm {
    switch type {
    case .ellipticCurve: .ecdsa(.message, .sha256, .x962)
    case .rsa: .rsaPSS(.message, .sha256)
    }
  }
}
