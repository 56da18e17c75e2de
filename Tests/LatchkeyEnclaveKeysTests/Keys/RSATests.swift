import LatchkeyEnclaveKeys
import Testing

@Suite("RSA")
struct RSATests {
  static let key = Result { try PrivateKey.generate(.rsa(bits: 2048)) }

  @Test(
    "A signature verifies its message, and nothing else", arguments: [DigestAlgorithm.sha1, .sha256, .sha384, .sha512])
  func signs(digest: DigestAlgorithm) throws {
    let key = try Self.key.get()
    let message = Array("message".utf8)
    for (byMessage, byDigest) in [
      (KeyAlgorithm.rsaPKCS1v15(.message, digest), KeyAlgorithm.rsaPKCS1v15(.digest, digest)),
      (.rsaPSS(.message, digest), .rsaPSS(.digest, digest)),
    ] {
      let signature = try key.sign(message, by: byMessage)
      #expect(signature.count == 256)
      #expect(try key.publicKey.isValid(signature, of: message, by: byMessage))
      #expect(try key.publicKey.isValid(signature, of: digest.hash(message), by: byDigest))
      #expect(try key.publicKey.isValid(key.sign(digest.hash(message), by: byDigest), of: message, by: byMessage))
      #expect(try !key.publicKey.isValid(signature, of: message + [0], by: byMessage))
      for bad in [[], signature + [0], Array(signature.dropLast()), Array(signature.reversed())] {
        #expect(try !key.publicKey.isValid(bad, of: message, by: byMessage))
      }
      #expect(throws: KeyError.self) { try key.sign([1], by: byDigest) }
      #expect(throws: KeyError.self) { try key.publicKey.isValid(signature, of: [1], by: byDigest) }
    }
  }

  @Test("A ciphertext is decrypted, up to the longest text")
  func encrypts() throws {
    let key = try Self.key.get()
    for (algorithm, longest) in [
      (KeyAlgorithm.rsaEncryptionPKCS1, 245), (.rsaOAEP(.sha1), 214), (.rsaOAEP(.sha256), 190),
    ] {
      for count in [0, 1, longest] {
        let text = [UInt8](repeating: 3, count: count)
        let ciphertext = try key.publicKey.encrypt(text, by: algorithm)
        #expect(ciphertext.count == 256)
        #expect(try key.decrypt(ciphertext, by: algorithm) == text)
        for bad in [[], ciphertext + [0], Array(ciphertext.dropLast()), Array(ciphertext.reversed())] {
          #expect(throws: KeyError.decryptionFailed) { try key.decrypt(bad, by: algorithm) }
        }
      }
      #expect(throws: KeyError.self) {
        try key.publicKey.encrypt([UInt8](repeating: 3, count: longest + 1), by: algorithm)
      }
    }
  }

  @Test("a text of any length is encrypted under a session key", arguments: [DigestAlgorithm.sha1, .sha256])
  func encryptsLongTexts(digest: DigestAlgorithm) throws {
    let key = try Self.key.get()
    let algorithm = KeyAlgorithm.rsaOAEPAESGCM(digest)
    for count in [0, 1, 10_000] {
      let text = [UInt8](repeating: 3, count: count)
      var ciphertext = try key.publicKey.encrypt(text, by: algorithm)
      #expect(ciphertext.count == 256 + count + 16)
      #expect(try key.decrypt(ciphertext, by: algorithm) == text)
      for index in [0, 255, 256, ciphertext.count - 1] {
        ciphertext[index] ^= 1
        #expect(throws: KeyError.decryptionFailed) { try key.decrypt(ciphertext, by: algorithm) }
        ciphertext[index] ^= 1
      }
      for length in [0, 255, 256, 271] {
        #expect(throws: KeyError.decryptionFailed) { try key.decrypt(Array(ciphertext[..<length]), by: algorithm) }
      }
    }
  }

  @Test("Algorithms that swift-crypto lacks are not supported, and their error says so")
  func unsupported() throws {
    let key = try Self.key.get()
    let signatures: [KeyAlgorithm] = [
      .rsaSignatureRaw, .rsaPKCS1v15(.digest, nil), .rsaPKCS1v15(.message, nil), .rsaPKCS1v15(.message, .sha224),
      .rsaPKCS1v15(.digest, .sha224), .rsaPSS(.message, .sha224), .ecdsa(.message, .sha256, .x962),
    ]
    for algorithm in signatures {
      #expect(!key.supports(algorithm, for: .sign) && !key.publicKey.supports(algorithm, for: .verify))
      #expect(throws: KeyError.self) { try key.sign([], by: algorithm) }
      #expect(throws: KeyError.self) { try key.publicKey.isValid([], of: [], by: algorithm) }
    }
    let encryptions: [KeyAlgorithm] = [
      .rsaEncryptionRaw, .rsaOAEP(.sha224), .rsaOAEP(.sha384), .rsaOAEP(.sha512), .rsaOAEPAESGCM(.sha224),
      .rsaOAEPAESGCM(.sha384), .rsaOAEPAESGCM(.sha512), .ecies(isCofactor: true, .sha256, hasVariableIV: true),
    ]
    for algorithm in encryptions {
      #expect(!key.supports(algorithm, for: .decrypt) && !key.publicKey.supports(algorithm, for: .encrypt))
      #expect(throws: KeyError.self) { try key.decrypt([], by: algorithm) }
      #expect(throws: KeyError.self) { try key.publicKey.encrypt([], by: algorithm) }
    }
    #expect(throws: KeyError.self) {
      try key.exchange(with: key.publicKey, by: .ecdh(isCofactor: false, nil), size: nil, sharedInfo: [])
    }
  }

  @Test("A key of 1024 bits is too short for PSS with SHA-512, and refuses before it signs")
  func smallKeys() throws {
    let key = try PrivateKey.generate(.rsa(bits: 1024))
    #expect(!key.supports(.rsaPSS(.message, .sha512), for: .sign))
    #expect(throws: KeyError.self) { try key.sign([], by: .rsaPSS(.message, .sha512)) }
    #expect(key.supports(.rsaPSS(.message, .sha384), for: .sign))
    #expect(
      try key.publicKey.isValid(key.sign([], by: .rsaPSS(.message, .sha384)), of: [], by: .rsaPSS(.message, .sha384)))
    #expect(key.publicKey.type == .rsa(bits: 1024) && key.publicKey.blockByteCount == 128)
  }
}
