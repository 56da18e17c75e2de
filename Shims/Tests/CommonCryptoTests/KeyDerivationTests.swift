import CommonCrypto
import Testing

struct Derivation: CustomTestStringConvertible, Sendable {
  let password: String
  let salt: String
  let prf: Int
  let rounds: UInt32
  let key: String
  var testDescription: String { "\(rounds) rounds, PRF \(prf), \(key.prefix(8))" }
}

// RFC 6070 2, but for the case of 16 777 216 rounds; RFC 7914 11; the last three by another implementation (Python's hashlib).
private let derivations = [
  Derivation(
    password: "password", salt: "salt", prf: kCCPRFHmacAlgSHA1, rounds: 1,
    key: "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
  Derivation(
    password: "password", salt: "salt", prf: kCCPRFHmacAlgSHA1, rounds: 2,
    key: "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
  Derivation(
    password: "password", salt: "salt", prf: kCCPRFHmacAlgSHA1, rounds: 4096,
    key: "4b007901b765489abead49d926f721d065a429c1"),
  Derivation(
    password: "passwordPASSWORDpassword", salt: "saltSALTsaltSALTsaltSALTsaltSALTsalt", prf: kCCPRFHmacAlgSHA1,
    rounds: 4096, key: "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"),
  Derivation(
    password: "pass\0word", salt: "sa\0lt", prf: kCCPRFHmacAlgSHA1, rounds: 4096,
    key: "56fa6aa75548099dcc37d7f03425e0c3"),
  Derivation(
    password: "passwd", salt: "salt", prf: kCCPRFHmacAlgSHA256, rounds: 1,
    key: "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
      + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"),
  Derivation(
    password: "Password", salt: "NaCl", prf: kCCPRFHmacAlgSHA256, rounds: 80000,
    key: "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
      + "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d"),
  Derivation(
    password: "password", salt: "salt", prf: kCCPRFHmacAlgSHA224, rounds: 2,
    key: "93200ffa96c5776d38fa10abdf8f5bfc0054b9718513df472d2331d2d1e66a3f"),
  Derivation(
    password: "password", salt: "salt", prf: kCCPRFHmacAlgSHA384, rounds: 2,
    key: "54f775c6d790f21930459162fc535dbf04a939185127016a04176a0730c6f1f4"),
  Derivation(
    password: "password", salt: "salt", prf: kCCPRFHmacAlgSHA512, rounds: 2,
    key: "e1d9c16aa681708a45f5c7c4e215ceb66e011a2e9f0040713f18aefdb866d53c"),
]

struct KeyDerivationTests {
  private let pbkdf2 = CCPBKDFAlgorithm(kCCPBKDF2)
  private let sha256 = CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256)

  @Test("The standards' keys come out", arguments: derivations)
  func vectors(_ vector: Derivation) {
    let expected = hex(vector.key)
    let salt = Array(vector.salt.utf8)
    var key = [UInt8](repeating: 0xEE, count: expected.count + 1)
    let status = CCKeyDerivationPBKDF(
      pbkdf2, vector.password, vector.password.utf8.count, salt, salt.count, CCPseudoRandomAlgorithm(vector.prf),
      vector.rounds, &key, expected.count)
    #expect(status == kCCSuccess)
    #expect(key == expected + [0xEE])
  }

  @Test("A password of NULL is an empty one, not one that ends with the first zero")
  func emptyPassword() {
    var first = [UInt8](repeating: 0, count: 32)
    var second = first
    #expect(CCKeyDerivationPBKDF(pbkdf2, nil, 0, [1], 1, sha256, 1, &first, 32) == kCCSuccess)
    #expect(CCKeyDerivationPBKDF(pbkdf2, "", 0, [1], 1, sha256, 1, &second, 32) == kCCSuccess)
    #expect(first == second)
    #expect(CCKeyDerivationPBKDF(pbkdf2, "a", 1, nil, 0, sha256, 1, &second, 32) == kCCSuccess)
    #expect(first != second)
  }

  @Test("An unknown algorithm or function is refused")
  func unknownAlgorithms() {
    var key = [UInt8](repeating: 0xEE, count: 32)
    for algorithm in [0, 1, 3, CCPBKDFAlgorithm.max] {
      #expect(CCKeyDerivationPBKDF(algorithm, "a", 1, [1], 1, sha256, 1, &key, 32) == kCCParamError)
    }
    for function in [0, 6, CCPseudoRandomAlgorithm.max] {
      #expect(CCKeyDerivationPBKDF(pbkdf2, "a", 1, [1], 1, function, 1, &key, 32) == kCCParamError)
    }
    #expect(key == [UInt8](repeating: 0xEE, count: 32))
  }

  @Test("No rounds, no key, no place for it and NULL for bytes are refused")
  func refusals() {
    var key = [UInt8](repeating: 0xEE, count: 32)
    #expect(CCKeyDerivationPBKDF(pbkdf2, "a", 1, [1], 1, sha256, 0, &key, 32) == kCCParamError)
    #expect(CCKeyDerivationPBKDF(pbkdf2, "a", 1, [1], 1, sha256, 1, &key, 0) == kCCParamError)
    #expect(CCKeyDerivationPBKDF(pbkdf2, "a", 1, [1], 1, sha256, 1, nil, 32) == kCCParamError)
    #expect(CCKeyDerivationPBKDF(pbkdf2, nil, 1, [1], 1, sha256, 1, &key, 32) == kCCParamError)
    #expect(CCKeyDerivationPBKDF(pbkdf2, "a", 1, nil, 1, sha256, 1, &key, 32) == kCCParamError)
    #expect(key == [UInt8](repeating: 0xEE, count: 32))
  }

  @Test("Numbers beyond what libcrypto counts are refused, not cut")
  func largeNumbers() {
    var key = [UInt8](repeating: 0xEE, count: 32)
    #expect(CCKeyDerivationPBKDF(pbkdf2, "a", 1, [1], 1, sha256, .max, &key, 32) == kCCParamError)
    #expect(CCKeyDerivationPBKDF(pbkdf2, "a", 1 << 32, [1], 1, sha256, 1, &key, 32) == kCCParamError)
    #expect(CCKeyDerivationPBKDF(pbkdf2, "a", 1, [1], 1 << 32, sha256, 1, &key, 32) == kCCParamError)
    #expect(CCKeyDerivationPBKDF(pbkdf2, "a", 1, [1], 1, sha256, 1, &key, 1 << 32) == kCCParamError)
  }

  @Test("A calibration is never below the least, and grows with the time")
  func calibration() {
    #expect(CCCalibratePBKDF(pbkdf2, 8, 8, sha256, 32, 0) == 10000)
    #expect(CCCalibratePBKDF(pbkdf2, 8, 8, sha256, 32, 1_000_000) > 10000)
    #expect(CCCalibratePBKDF(pbkdf2, 0, 0, sha256, 32, .max) <= UInt32(Int32.max))
  }

  @Test("What cannot be measured gives 0 rounds, which no derivation accepts")
  func noCalibration() {
    #expect(CCCalibratePBKDF(1, 8, 8, sha256, 32, 100) == 0)
    #expect(CCCalibratePBKDF(pbkdf2, 8, 8, 9, 32, 100) == 0)
    #expect(CCCalibratePBKDF(pbkdf2, 8, 8, sha256, 0, 100) == 0)
    #expect(CCCalibratePBKDF(pbkdf2, .max, 8, sha256, 32, 100) == 0)
    #expect(CCCalibratePBKDF(pbkdf2, 8, .max, sha256, 32, 100) == 0)
    #expect(CCCalibratePBKDF(pbkdf2, 8, 8, sha256, .max, 100) == 0)
  }
}
