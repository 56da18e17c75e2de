import LatchkeyEnclaveKeys
import Testing

@Suite("ECIES as Apple writes it")
struct ECIESTests {
  static let algorithms: [KeyAlgorithm] = DigestAlgorithm.allCases.flatMap { digest in
    [false, true].flatMap { isCofactor in
      [false, true].map { .ecies(isCofactor: isCofactor, digest, hasVariableIV: $0) }
    }
  }

  @Test("A ciphertext made by iOS is decrypted")
  func decryptsApplesCiphertext() throws {
    // stackoverflow.com/questions/64702417: made by iOS with eciesEncryptionCofactorVariableIVX963SHA256AESGCM.
    let key = try PrivateKey(
      externalRepresentation: bytes(
        base64: "BBPT50Rn0PeeV0LxUbhDV7U1FUgVw9YLVctQx5HA+TiA3lp3k/cud8Xsjh6lytgaI5S7IUW1YouUiPNR/7LPArkW"
          + "cIYOQWtdkbTqmy++lz0cQ8ukWvUyhD9yzqZHPLQgQg=="), family: .ellipticCurve)
    let ciphertext = try bytes(
      base64: "BNNzHjSJQxP8jNuj5W9XSW0XNgpOlEHY/S4KzZQJFxwjzoujuwz5kJeOLj6cASBaYKePGLhkbE0qN20y8aHpU+PmeuDJWY7L"
        + "Z25LjvutafOJGugdRZdURRwFSke7hzhXlSneaTFegT3xOoq9ffjCynwD7iRD")
    let text = try key.decrypt(ciphertext, by: .ecies(isCofactor: true, .sha256, hasVariableIV: true))
    #expect(String(decoding: text, as: UTF8.self) == "514227F0-51E9-41AC-9A39-42752E2ABADF")
    #expect(throws: KeyError.decryptionFailed) {
      try key.decrypt(ciphertext, by: .ecies(isCofactor: true, .sha256, hasVariableIV: false))
    }
  }

  @Test("Each curve decrypts its ciphertexts, by every algorithm", arguments: Curve.allCases)
  func roundTrips(curve: Curve) throws {
    let key = try PrivateKey.generate(.ellipticCurve(curve))
    for algorithm in Self.algorithms {
      for count in [0, 1, 16, 1000] {
        let text = [UInt8](repeating: 7, count: count)
        let ciphertext = try key.publicKey.encrypt(text, by: algorithm)
        #expect(ciphertext.count == curve.pointByteCount + count + 16)
        #expect(try key.decrypt(ciphertext, by: algorithm) == text)
      }
    }
  }
}
