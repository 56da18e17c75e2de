import LatchkeyEnclaveKeys
import Testing

@Suite("Algorithms that keys support")
struct KeySupportTests {
  static let algorithms: [KeyAlgorithm] =
    [.rsaSignatureRaw, .rsaEncryptionRaw, .rsaEncryptionPKCS1]
    + [nil, .sha1, .sha224, .sha256, .sha384, .sha512].flatMap { (digest: DigestAlgorithm?) -> [KeyAlgorithm] in
      [
        .ecdsa(.message, digest, .x962), .ecdsa(.digest, digest, .rfc4754), .rsaPKCS1v15(.message, digest),
        .rsaPKCS1v15(.digest, digest), .ecdh(isCofactor: false, digest), .ecdh(isCofactor: true, digest),
      ]
    }
    + DigestAlgorithm.allCases.flatMap { digest -> [KeyAlgorithm] in
      [
        .rsaPSS(.message, digest), .rsaOAEP(digest), .rsaOAEPAESGCM(digest),
        .ecies(isCofactor: true, digest, hasVariableIV: true), .ecies(isCofactor: false, digest, hasVariableIV: false),
      ]
    }

  @Test(
    "Supported algorithms work, and no others",
    arguments: [KeyType.ellipticCurve(.p256), .ellipticCurve(.p384), .ellipticCurve(.p521), .rsa(bits: 1024)])
  func promises(type: KeyType) throws {
    let key = try PrivateKey.generate(type)
    for algorithm in Self.algorithms {
      let signature = Result { try key.sign(input(of: algorithm), by: algorithm) }
      #expect(key.supports(algorithm, for: .sign) == succeeds(signature), "\(algorithm)")
      #expect(key.publicKey.supports(algorithm, for: .verify) == key.supports(algorithm, for: .sign))
      let agreement = Result { try key.exchange(with: key.publicKey, by: algorithm, size: 16, sharedInfo: []) }
      #expect(key.supports(algorithm, for: .exchange) == succeeds(agreement), "\(algorithm)")
      let ciphertext = Result { try key.publicKey.encrypt([1], by: algorithm) }
      #expect(key.publicKey.supports(algorithm, for: .encrypt) == succeeds(ciphertext), "\(algorithm)")
      #expect(key.supports(algorithm, for: .decrypt) == succeeds(ciphertext), "\(algorithm)")
      if let ciphertext = try? ciphertext.get() { #expect(try key.decrypt(ciphertext, by: algorithm) == [1]) }
      // Each half does its own.
      #expect(!key.supports(algorithm, for: .verify) && !key.supports(algorithm, for: .encrypt))
      for operation in [KeyOperation.sign, .decrypt, .exchange] {
        #expect(!key.publicKey.supports(algorithm, for: operation))
      }
    }
  }

  private func input(of algorithm: KeyAlgorithm) -> [UInt8] {
    switch algorithm {
    case .ecdsa(.digest, let digest, _), .rsaPKCS1v15(.digest, let digest):
      [UInt8](repeating: 1, count: digest?.byteCount ?? 32)
    default: [1, 2, 3]
    }
  }

  private func succeeds(_ result: Result<[UInt8], any Error>) -> Bool { (try? result.get()) != nil }
}
