import LatchkeyEnclaveKeys
import Testing

@Suite("RSA")
struct RSATests {
  static let key = Result { try PrivateKey.generate(.rsa(bits: 2048)) }

  @Test(
    "A signature verifies its message, and nothing else", arguments: DigestAlgorithm.allCases)
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
      (KeyAlgorithm.rsaEncryptionPKCS1, 245), (.rsaOAEP(.sha1), 214), (.rsaOAEP(.sha224), 198),
      (.rsaOAEP(.sha256), 190),
      (.rsaOAEP(.sha384), 158), (.rsaOAEP(.sha512), 126),
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

  @Test("a text of any length is encrypted under a session key", arguments: DigestAlgorithm.allCases)
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

  @Test("Algorithms without padding, and those of curves, are not supported, and their error says so")
  func unsupported() throws {
    let key = try Self.key.get()
    let signatures: [KeyAlgorithm] = [
      .rsaSignatureRaw, .rsaPKCS1v15(.message, nil), .ecdsa(.message, .sha256, .x962),
    ]
    for algorithm in signatures {
      #expect(!key.supports(algorithm, for: .sign) && !key.publicKey.supports(algorithm, for: .verify))
      #expect(throws: KeyError.self) { try key.sign([], by: algorithm) }
      #expect(throws: KeyError.self) { try key.publicKey.isValid([], of: [], by: algorithm) }
    }
    let encryptions: [KeyAlgorithm] = [
      .rsaEncryptionRaw, .ecies(isCofactor: true, .sha256, hasVariableIV: true),
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

  @Test(
    "A DigestInfo that the caller made is signed as it is: with the digest's own prefix, the signature is the usual one"
  )
  func digestInfo() throws {
    let key = try Self.key.get()
    let message = Array("message".utf8)
    // RFC 8017 9.2, note 1.
    let prefixes: [(DigestAlgorithm, [UInt8])] = [
      (.sha224, [0x30, 0x2D, 0x30, 0x0D, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 4, 5, 0, 4, 0x1C]),
      (.sha256, [0x30, 0x31, 0x30, 0x0D, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1, 5, 0, 4, 0x20]),
    ]
    let raw = KeyAlgorithm.rsaPKCS1v15(.digest, nil)
    for (digest, prefix) in prefixes {
      let info = prefix + digest.hash(message)
      let signature = try key.sign(info, by: raw)
      #expect(try signature == key.sign(message, by: .rsaPKCS1v15(.message, digest)))
      #expect(try key.publicKey.isValid(signature, of: info, by: raw))
      for bad in [[], Array(info.dropLast()), info + [0], digest.hash(message)] {
        #expect(try !key.publicKey.isValid(signature, of: bad, by: raw))
      }
    }
    for count in [0, 1, 245] {
      let input = [UInt8](repeating: 7, count: count)
      #expect(try key.publicKey.isValid(key.sign(input, by: raw), of: input, by: raw))
    }
    #expect(throws: KeyError.self) { try key.sign([UInt8](repeating: 7, count: 246), by: raw) }
    #expect(try !key.publicKey.isValid([], of: [], by: raw))
    #expect(try !key.publicKey.isValid([UInt8](repeating: 255, count: 256), of: [], by: raw))
  }

  @Test("Where OAEP's padding leaves no room for a text, or for a session key, there is no such encryption")
  func smallBlocks() throws {
    let key = try PrivateKey.generate(.rsa(bits: 1024))
    for (algorithm, isThere) in [
      (KeyAlgorithm.rsaOAEP(.sha512), false), (.rsaOAEP(.sha384), true), (.rsaOAEPAESGCM(.sha512), false),
      (.rsaOAEPAESGCM(.sha384), true),
    ] {
      #expect(key.publicKey.supports(algorithm, for: .encrypt) == isThere, "\(algorithm)")
      #expect(((try? key.publicKey.encrypt([], by: algorithm)) != nil) == isThere, "\(algorithm)")
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
