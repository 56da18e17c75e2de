import Crypto
import LatchkeyByteCoding
import Testing

@testable import LatchkeyPKCS12

@Suite struct DerivationTests {
  @Test(
    "The format's own derivation answers the examples that implementations share",
    arguments: [
      ("smeg", "0a58cf64530d823f", 1, 1, "8aaae6297b6cb04642ab5b077851284eb7128f1a2a7fbca3"),
      ("smeg", "0a58cf64530d823f", 2, 1, "79993dfe048d3b76"),
      ("smeg", "3d83c0e4546ac140", 3, 1, "8d967d88f6caa9d714800ab3d48051d63f73a312"),
      ("queeg", "05dec959acff72f7", 1, 1000, "ed2034e36328830ff09df1e1a07dd357185dac0d4f9eb3d4"),
      ("queeg", "05dec959acff72f7", 2, 1000, "11dedad7758d4860"),
      ("queeg", "263216fcc2fab31c", 3, 1000, "5ec4c7a80df652294c3925b6489a7ab857c83476"),
    ])
  func ownSHA1(password: String, salt: String, purpose: UInt8, rounds: Int, expected: String) throws {
    let derived = PKCS12KeyDerivation.derive(
      .sha1, try #require(.init(rawValue: purpose)), password: PasswordForm.written(password).wide,
      salt: try Hexadecimal.decode(salt), rounds: rounds, count: expected.utf8.count / 2)
    #expect(Hexadecimal.encode(derived.array()) == expected)
  }

  /// Computed by another implementation of RFC 7292 B.2, in Python over hashlib.
  @Test(
    "It takes every hash, and salts and answers longer than a block",
    arguments: [
      (
        DigestAlgorithm.sha224, "c80e2d439846a65a4068ff3e357fc47414fd30469c848096a81f353e",
        "ff5be8fa51160abda9aa400f8ac88abeb79fc11d17acd824170532c8a87ea10f"
      ),
      (
        .sha256, "7e9ac472ca5cd7caa9256a171cae16bb0ade4deab4c52e40a8110b138ecbed7e",
        "5592ebabb4ea78ff85195b604a353cfde3613bdd3c2702366f7b998097bb9278"
      ),
      (
        .sha384, "d3025b801420e3040b7d76061350b5d7f7098a7e21b6d7f67e872f135a135651f34130333464bb6f2cb57b9a3f786935",
        "bf262b3c2cb17d32e98f5e336783a1b187bb22e462f9072cf76b2c687aefee91"
      ),
      (
        .sha512,
        "f1208c3d89ea381d3641f9cc8203229e4a116261296c330449d00cb77cfb8492fda3d578a04d2242d43d807b6e17bd527d3360fc7516deb180528161a2a46f43",
        "97ec9caccd38326483be3c331e195d6e8fd71d23da965aa684b8decb11c54374"
      ),
      (
        .sha512_256, "8935e2815a555ae868a5d87777f348cfd8e7dc8f4a1ccb63f0ed20d437d4fc3c",
        "3b8166821491cedb45f77604ee39ad820220f1ce4f81a0575ba2a88a1525187d"
      ),
    ])
  func ownOthers(digest: DigestAlgorithm, short: String, long: String) throws {
    let mac = PKCS12KeyDerivation.derive(
      digest, .mac, password: PasswordForm.written("smeg").wide, salt: try Hexadecimal.decode("0a58cf64530d823f"),
      rounds: 3, count: digest.size)
    #expect(Hexadecimal.encode(mac.array()) == short)
    let key = PKCS12KeyDerivation.derive(
      digest, .key, password: PasswordForm.written("ü😀").wide, salt: Array(0..<200), rounds: 2, count: 150)
    #expect(sha256(key.array()) == long)
  }

  @Test("HMAC with SHA-224 answers RFC 4231's second example")
  func hmac224() {
    let text = PKCS12Reader(SecretBytes(Array("what do ya want for nothing?".utf8)), depth: 1)
    let mac = DigestAlgorithm.sha224.hmac(text, key: SecretBytes(Array("Jefe".utf8)))
    #expect(Hexadecimal.encode(mac) == "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44")
  }

  @Test("Every digest has the size it says, and its HMAC too", arguments: DigestAlgorithm.allCases)
  func sizes(digest: DigestAlgorithm) {
    let mac = digest.hmac(PKCS12Reader(SecretBytes([1]), depth: 1), key: SecretBytes([2]))
    #expect(mac.count == digest.size)
  }

  @Test("PBKDF2 matches RFC 6070, and accepts an empty password like HMAC")
  func pbkdf2() throws {
    let salt = Array("salt".utf8)
    let derivation = KeyDerivation.pbkdf2(salt: salt, rounds: 2, keyLength: nil, digest: .sha1)
    let key = try derivation.derive(PasswordForm.written("password").narrow, count: 20)
    #expect(key.withUnsafeBytes { Hexadecimal.encode($0) } == "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957")
    let empty = try derivation.derive(SecretBytes([]), count: 20)
    #expect(empty.withUnsafeBytes { Hexadecimal.encode($0) } == "133a4ce837b4d2521ee2bf03e11c71ca794e0797")
  }

  @Test("scrypt answers RFC 7914's second example")
  func scrypt() throws {
    let derivation = KeyDerivation.scrypt(salt: Array("NaCl".utf8), n: 1024, r: 8, p: 16, keyLength: nil)
    let key = try derivation.derive(PasswordForm.written("password").narrow, count: 64)
    #expect(
      key.withUnsafeBytes { Hexadecimal.encode($0) }
        == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
    )
    #expect(derivation.cost(64) == 2 * 1024 * 8 * 16)
  }

  @Test("A derivation of more bytes than a digest has costs its rounds again")
  func cost() {
    #expect(PKCS12KeyDerivation.cost(.sha1, rounds: 10, count: 20) == 10)
    #expect(PKCS12KeyDerivation.cost(.sha1, rounds: 10, count: 24) == 20)
    #expect(KeyDerivation.pbkdf2(salt: [1], rounds: 10, keyLength: nil, digest: .sha1).cost(32) == 20)
    #expect(EncryptionScheme.tripleDES(salt: [1], rounds: 10, keySize: 24).cost == 30)
    #expect(EncryptionScheme.rc2(salt: [1], rounds: 10, keySize: 5).cost == 20)
  }
}
