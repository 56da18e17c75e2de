import LatchkeyTestSupport
import Foundation
import Testing

@testable import LatchkeySealedMessages

@Suite(
  "Wycheproof's cases through this module's own ways", .enabled(if: WycheproofFolder.path != nil, WycheproofFolder.why))
struct WycheproofTests {
  @Test("ECDSA over P-256 with SHA-256, r and s as RFC 9421 writes them")
  func ecdsa() throws {
    try WycheproofFolder.hold("ecdsa_secp256r1_sha256_p1363") { group, test in
      SignatureAlgorithm.ecdsaP256SHA256.isValid(
        try #require(test.sig).bytes, of: try #require(test.msg).bytes,
        key: try #require(group.publicKey).uncompressed.bytes)
    }
  }

  @Test("ECDSA in X9.62's DER is no signature of RFC 9421, however right it is")
  func ecdsaDER() throws {
    var taken = 0
    try WycheproofFolder.hold("ecdsa_secp256r1_sha256") { group, test in
      let isTaken = SignatureAlgorithm.ecdsaP256SHA256.isValid(
        try #require(test.sig).bytes, of: try #require(test.msg).bytes,
        key: try #require(group.publicKey).uncompressed.bytes)
      if isTaken { taken += 1 }
      return nil
    }
    #expect(taken == 0)
  }

  @Test("HMAC with SHA-256: whole codes of RFC 9421 and of the documented envelope; none that is cut short")
  func hmac() throws {
    try WycheproofFolder.hold("hmac_sha256") { group, test in
      let (key, text, tag) = (
        try #require(test.key).bytes, try #require(test.msg).bytes, try #require(test.tag).bytes
      )
      let isValid = SignatureAlgorithm.hmacSHA256.isValid(tag, of: text, key: key)
      let keys = LegacyEnvelopeKeys(encryption: key, authentication: key)
      #expect(keys.isCode(tag, of: text) == isValid)
      guard group.tagSize == 256 else {
        #expect(!isValid)
        return nil
      }
      return isValid
    }
  }

  @Test("AES in CBC, as the documented envelope decrypts and encrypts")
  func aes() throws {
    try WycheproofFolder.hold("aes_cbc_pkcs5") { group, test in
      let (key, iv) = (try #require(test.key).bytes, try #require(test.iv).bytes)
      let (plain, text) = (try #require(test.msg).bytes, try #require(test.ct).bytes)
      let keys = LegacyEnvelopeKeys(encryption: key, authentication: key)
      if test.result == "valid" { #expect(keys.encrypt(plain, iv: iv) == text) }
      return keys.decrypt(text, iv: iv) == plain
    }
  }
}
