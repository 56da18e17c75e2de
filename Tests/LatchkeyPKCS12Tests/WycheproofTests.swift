import LatchkeyTestSupport
import Crypto
import CryptoExtras
import Foundation
import LatchkeyByteCoding
import LatchkeySecretData
import Testing

@testable import LatchkeyPKCS12

@Suite(
  "Wycheproof's cases through this module's own ciphers",
  .enabled(if: WycheproofFolder.path != nil, WycheproofFolder.why))
struct WycheproofTests {
  @Test(
    "PBES2 with AES, under PBKDF2 with each function",
    arguments: [DigestAlgorithm.sha1, .sha224, .sha256, .sha384, .sha512], [16, 24, 32])
  func pbes2(digest: DigestAlgorithm, keySize: Int) throws {
    try WycheproofFolder.hold("pbes2_hmac\(digest)_aes_\(keySize * 8)") { _, test in
      let salt = try #require(test.salt).bytes
      let derivation = KeyDerivation.pbkdf2(
        salt: salt, rounds: try #require(test.iterationCount), keyLength: nil, digest: digest)
      let scheme = EncryptionScheme.pbes2AES(derivation, keySize: keySize, vector: try #require(test.iv).bytes)
      let narrow = SecretBytes(try #require(test.password).bytes)
      let text = PKCS12Reader(SecretBytes(try #require(test.ct).bytes), depth: 1)
      let plain = try scheme.decrypt(text, PasswordForm(wide: SecretBytes(count: 0), narrow: narrow))
      return plain?.array() == test.msg?.bytes
    }
  }

  @Test(
    "PBKDF2 with each function", arguments: [DigestAlgorithm.sha1, .sha224, .sha256, .sha384, .sha512])
  func pbkdf2(digest: DigestAlgorithm) throws {
    try WycheproofFolder.hold("pbkdf2_hmac\(digest)") { _, test in
      let salt = try #require(test.salt).bytes
      let rounds = try #require(test.iterationCount)
      // A file with such a salt is refused when it is read.
      if salt.isEmpty { return nil }
      let derivation = KeyDerivation.pbkdf2(salt: salt, rounds: rounds, keyLength: nil, digest: digest)
      let key = try derivation.derive(
        SecretBytes(try #require(test.password).bytes), count: try #require(test.dkLen))
      return key.withUnsafeBytes { Array($0) } == test.dk?.bytes
    }
  }

  @Test("The padding of AES in CBC")
  func padding() throws {
    try WycheproofFolder.hold("aes_cbc_pkcs5") { _, test in
      let text = try #require(test.ct).bytes
      // As `EncryptionScheme` asks before it decrypts.
      guard !text.isEmpty, text.count % 16 == 0 else { return false }
      var padded = try AES._CBC.decrypt(
        text, using: SymmetricKey(data: try #require(test.key).bytes),
        iv: AES._CBC.IV(ivBytes: try #require(test.iv).bytes), noPadding: true)
      return BlockChaining.withoutPadding(SecretBytes(movingOutOf: &padded), blockSize: 16)?.array() == test.msg?.bytes
    }
  }

  @Test(
    "HMAC with each function",
    arguments: [
      (DigestAlgorithm.sha1, "sha1"), (.sha224, "sha224"), (.sha256, "sha256"), (.sha384, "sha384"),
      (.sha512, "sha512"), (.sha512_256, "sha512_256"),
    ])
  func hmac(digest: DigestAlgorithm, name: String) throws {
    try WycheproofFolder.hold("hmac_\(name)") { group, test in
      let text = PKCS12Reader(SecretBytes(try #require(test.msg).bytes), depth: 1)
      let code = digest.hmac(text, key: SecretBytes(try #require(test.key).bytes))
      // A MAC that is cut short is none here: its length is held against the function's when it is read.
      let isWhole = group.tagSize == digest.size * 8
      let tag = try #require(test.tag).bytes
      return isWhole ? constantTimeEquals(code, tag) : Array(code.prefix(tag.count)) == tag
    }
  }
}
