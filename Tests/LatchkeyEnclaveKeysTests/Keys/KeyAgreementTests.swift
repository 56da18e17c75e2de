import LatchkeyTestSupport
import LatchkeyEnclaveKeys
import Testing

@Suite("ECDH")
struct KeyAgreementTests {
  static let plain = KeyAlgorithm.ecdh(isCofactor: false, nil)

  @Test("both sides agree, by every algorithm", arguments: Curve.allCases)
  func agrees(curve: Curve) throws {
    let one = try PrivateKey.generate(.ellipticCurve(curve))
    let other = try PrivateKey.generate(.ellipticCurve(curve))
    let secret = try one.exchange(with: other.publicKey, by: Self.plain, size: nil, sharedInfo: [])
    #expect(secret.count == curve.byteCount)
    #expect(secret == (try other.exchange(with: one.publicKey, by: Self.plain, size: nil, sharedInfo: [])))
    for digest in DigestAlgorithm.allCases {
      for size in [1, 16, 20, 21, 64, 1000] {
        let algorithm = KeyAlgorithm.ecdh(isCofactor: true, digest)
        let key = try one.exchange(with: other.publicKey, by: algorithm, size: size, sharedInfo: [1, 2])
        #expect(key.count == size)
        #expect(key == (try other.exchange(with: one.publicKey, by: algorithm, size: size, sharedInfo: [1, 2])))
        let first = digest.hash(secret + [0, 0, 0, 1, 1, 2])
        #expect(Array(key.prefix(first.count)) == Array(first.prefix(size)))
        if size >= 16 {
          #expect(key != (try one.exchange(with: other.publicKey, by: algorithm, size: size, sharedInfo: [])))
        }
      }
    }
  }

  @Test("a peer on another curve, or RSA's, is refused")
  func refusesPeers() throws {
    let key = try PrivateKey.generate(.ellipticCurve(.p256))
    for type in [KeyType.ellipticCurve(.p384), .ellipticCurve(.p521), .rsa(bits: 1024)] {
      let peer = try PrivateKey.generate(type).publicKey
      #expect(throws: KeyError.invalidInput("the other key is not on P-256")) {
        try key.exchange(with: peer, by: Self.plain, size: nil, sharedInfo: [])
      }
    }
  }

  @Test("a derivation without a size, or with one that makes no sense, is refused")
  func refusesSizes() throws {
    let key = try PrivateKey.generate(.ellipticCurve(.p256))
    for size in [nil, -1, 0, 1_048_577, Int.max, Int.min] {
      #expect(throws: KeyError.self) {
        try key.exchange(
          with: key.publicKey, by: .ecdh(isCofactor: false, .sha256), size: size, sharedInfo: [])
      }
    }
    #expect(throws: KeyError.self) {
      try key.exchange(
        with: key.publicKey, by: .ecdh(isCofactor: false, .sha256), size: 1,
        sharedInfo: [UInt8](repeating: 0, count: 65_537))
    }
    let longest = try key.exchange(
      with: key.publicKey, by: .ecdh(isCofactor: false, .sha256), size: 1_048_576, sharedInfo: [])
    #expect(longest.count == 1_048_576)
  }
}
