import CommonCrypto
import Testing

struct MAC: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let algorithm: CCHmacAlgorithm
  let length: Int
  /// Of a short key, of a text, and of a key that is longer than a block.
  let codes: [String]

  init(_ name: String, _ algorithm: Int, _ length: Int, _ codes: [String]) {
    testDescription = name
    self.algorithm = CCHmacAlgorithm(algorithm)
    self.length = length
    self.codes = codes
  }
}

// RFC 2202 2 and 3, cases 1, 2 and 6; RFC 4231 4.2, 4.3 and 4.7.
private let macs = [
  MAC(
    "MD5", kCCHmacAlgMD5, 16,
    ["9294727a3638bb1c13f48ef8158bfc9d", "750c783e6ab0b503eaa86e310a5db738", "6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd"]),
  MAC(
    "SHA-1", kCCHmacAlgSHA1, 20,
    [
      "b617318655057264e28bc0b6fb378c8ef146be00", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
      "aa4ae5e15272d00e95705637ce8a3b55ed402112",
    ]),
  MAC(
    "SHA-224", kCCHmacAlgSHA224, 28,
    [
      "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22",
      "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
      "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e",
    ]),
  MAC(
    "SHA-256", kCCHmacAlgSHA256, 32,
    [
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ]),
  MAC(
    "SHA-384", kCCHmacAlgSHA384, 48,
    [
      "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
      "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
      "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
    ]),
  MAC(
    "SHA-512", kCCHmacAlgSHA512, 64,
    [
      "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
        + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
      "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
      "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
        + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
    ]),
]

struct HMACTests {
  private func once(_ mac: MAC, _ key: [UInt8], _ data: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0xEE, count: mac.length + 1)
    CCHmac(mac.algorithm, key, key.count, data, data.count, &code)
    return code
  }

  private func vectors(_ mac: MAC) -> [(key: [UInt8], data: [UInt8], code: [UInt8])] {
    let old = mac.length <= 20
    let keys = [
      [UInt8](repeating: 0x0B, count: mac.length == 16 ? 16 : 20), Array("Jefe".utf8),
      [UInt8](repeating: 0xAA, count: old ? 80 : 131),
    ]
    let texts = ["Hi There", "what do ya want for nothing?", "Test Using Larger Than Block-Size Key - Hash Key First"]
    return (0..<3).map { (keys[$0], Array(texts[$0].utf8), hex(mac.codes[$0])) }
  }

  @Test("The standards' codes come out in one call, and nothing is written beyond them", arguments: macs)
  func once(_ mac: MAC) {
    for (key, data, code) in vectors(mac) { #expect(once(mac, key, data) == code + [0xEE]) }
  }

  @Test("A context gives the same code however the data is cut", arguments: macs)
  func streamed(_ mac: MAC) {
    for (key, data, code) in vectors(mac) {
      for cut in [0, 1, data.count] {
        var context = CCHmacContext()
        CCHmacInit(&context, mac.algorithm, key, key.count)
        CCHmacUpdate(&context, Array(data[..<cut]), cut)
        var copy = context
        CCHmacUpdate(&copy, Array(data[cut...]), data.count - cut)
        var result = [UInt8](repeating: 0xEE, count: mac.length + 1)
        CCHmacFinal(&copy, &result)
        #expect(result == code + [0xEE])
      }
    }
  }

  @Test("A key as long as a block is used as it is, one byte more is its digest")
  func longKeys() {
    let long = [UInt8](repeating: 7, count: 65)
    var digest = [UInt8](repeating: 0, count: 32)
    CC_SHA256(long, 65, &digest)
    let sha256 = macs[3]
    #expect(once(sha256, long, [1]) == once(sha256, digest, [1]))
    CC_SHA256(long, 64, &digest)
    #expect(once(sha256, Array(long[..<64]), [1]) != once(sha256, digest, [1]))
  }

  @Test("A key and data of length 0 may be NULL")
  func empty() {
    var code = [UInt8](repeating: 0, count: 32)
    CCHmac(CCHmacAlgorithm(kCCHmacAlgSHA256), nil, 0, nil, 0, &code)
    #expect(code == hex("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
  }

  @Test("An unknown algorithm writes nothing", arguments: [6, 7, 1 << 20, UInt32.max])
  func unknownAlgorithm(_ algorithm: CCHmacAlgorithm) {
    var code = [UInt8](repeating: 0xEE, count: 64)
    CCHmac(algorithm, [1], 1, [1], 1, &code)
    #expect(code == [UInt8](repeating: 0xEE, count: 64))
  }

  @Test("NULL for a key, data or the code that are not empty writes nothing")
  func nulls() {
    let algorithm = CCHmacAlgorithm(kCCHmacAlgSHA512)
    var code = [UInt8](repeating: 0xEE, count: 64)
    CCHmac(algorithm, nil, 1, [1], 1, &code)
    CCHmac(algorithm, [1], 1, nil, 1, &code)
    CCHmac(algorithm, [1], 1, [1], 1, nil)
    CCHmacInit(nil, algorithm, [1], 1)
    CCHmacUpdate(nil, [1], 1)
    CCHmacFinal(nil, &code)
    #expect(code == [UInt8](repeating: 0xEE, count: 64))
  }

  @Test("A context that is spent, or was never made, writes nothing")
  func spentContexts() {
    var context = CCHmacContext()
    var code = [UInt8](repeating: 0xEE, count: 32)
    CCHmacUpdate(&context, [1], 1)
    CCHmacFinal(&context, &code)
    #expect(code == [UInt8](repeating: 0xEE, count: 32))
    CCHmacInit(&context, CCHmacAlgorithm(kCCHmacAlgSHA256), [1], 1)
    CCHmacFinal(&context, &code)
    let first = code
    #expect(first != [UInt8](repeating: 0xEE, count: 32))
    CCHmacFinal(&context, &code)
    #expect(code == first)
  }

  @Test("The key is gone from a context that is final")
  func wiped() {
    var context = CCHmacContext()
    var code = [UInt8](repeating: 0, count: 32)
    CCHmacInit(&context, CCHmacAlgorithm(kCCHmacAlgSHA256), "secret", 6)
    CCHmacFinal(&context, &code)
    #expect(withUnsafeBytes(of: context) { $0.allSatisfy { $0 == 0 } })
  }
}
