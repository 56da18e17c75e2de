import CommonCrypto
import Testing

struct Encryption: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let algorithm: CCAlgorithm
  let mode: CCMode
  let key: [UInt8]
  let iv: [UInt8]?
  let plaintext: [UInt8]
  let ciphertext: [UInt8]
}

private let nist = hex(
  "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
private let keys = [
  hex("2b7e151628aed2a6abf7158809cf4f3c"), hex("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
  hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
]
private let iv = (0..<16).map { UInt8($0) }

private func aes(_ key: Int, _ mode: Int, _ name: String, iv: [UInt8]?, _ start: String, _ end: String) -> Encryption {
  Encryption(
    testDescription: "AES-\(keys[key].count * 8) \(name)", algorithm: CCAlgorithm(kCCAlgorithmAES),
    mode: CCMode(mode), key: keys[key], iv: iv, plaintext: nist, ciphertext: hex(start + end))
}

private let counter = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")

/// SP 800-38A F.1 to F.5 (CFB with 128 and, in its first blocks, 8 bits), SP 800-67 B.1, and FIPS 81's of DES.
let encryptions = [
  aes(
    0, kCCModeECB, "ECB", iv: nil, "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf",
    "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"),
  aes(
    1, kCCModeECB, "ECB", iv: nil, "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef",
    "ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e"),
  aes(
    2, kCCModeECB, "ECB", iv: nil, "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870",
    "b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7"),
  aes(
    0, kCCModeCBC, "CBC", iv: iv, "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2",
    "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"),
  aes(
    1, kCCModeCBC, "CBC", iv: iv, "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a",
    "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd"),
  aes(
    2, kCCModeCBC, "CBC", iv: iv, "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d",
    "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"),
  aes(
    0, kCCModeCFB, "CFB", iv: iv, "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b",
    "26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6"),
  aes(
    0, kCCModeOFB, "OFB", iv: iv, "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825",
    "9740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e"),
  aes(
    0, kCCModeCTR, "CTR", iv: counter, "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff",
    "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"),
  aes(
    2, kCCModeCTR, "CTR", iv: counter, "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5",
    "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"),
  aes(
    0, kCCModeCFB8, "CFB-8", iv: iv, "3b79424c9c0dd436bace9e0ed4586a4f32b9ded50ae3ba69d472e88267fb5052",
    "70cbad1e257691f7c47c5038297edda32ff26d0ed19174096161ecc14086dd62"),
  Encryption(
    testDescription: "3DES ECB", algorithm: CCAlgorithm(kCCAlgorithm3DES), mode: CCMode(kCCModeECB),
    key: hex("0123456789abcdef23456789abcdef01456789abcdef0123"), iv: nil,
    plaintext: Array("The qufck brown fox jump".utf8),
    ciphertext: hex("a826fd8ce53b855fcce21c8112256fe668d5c05dd9b6b900")),
  Encryption(
    testDescription: "DES ECB", algorithm: CCAlgorithm(kCCAlgorithmDES), mode: CCMode(kCCModeECB),
    key: hex("0123456789abcdef"), iv: nil, plaintext: Array("Now is the time for all ".utf8),
    ciphertext: hex("3fa40e8a984d48156a271787ab8883f9893d51ec4b563b53")),
]

/// A cryptor that is released at the end of a test.
final class Cryptor {
  private(set) var reference: CCCryptorRef?
  let status: Int

  init(_ operation: Int, _ vector: Encryption, padding: Bool = false) {
    status = Int(
      CCCryptorCreateWithMode(
        CCOperation(operation), vector.mode, vector.algorithm, CCPadding(padding ? ccPKCS7Padding : ccNoPadding),
        vector.iv, vector.key, vector.key.count, nil, 0, 0, 0, &reference))
  }

  deinit { CCCryptorRelease(reference) }

  func update(_ data: [UInt8], room: Int? = nil) -> (status: Int, bytes: [UInt8], moved: Int) {
    var bytes = [UInt8](repeating: 0xEE, count: (room ?? data.count + 32) + 1)
    var moved = -1
    let status = CCCryptorUpdate(reference, data, data.count, &bytes, bytes.count - 1, &moved)
    #expect(bytes.last == 0xEE)
    return (Int(status), Array(bytes[..<min(max(moved, 0), bytes.count - 1)]), moved)
  }

  func final(room: Int = 32) -> (status: Int, bytes: [UInt8], moved: Int) {
    var bytes = [UInt8](repeating: 0xEE, count: room + 1)
    var moved = -1
    let status = CCCryptorFinal(reference, &bytes, room, &moved)
    #expect(bytes.last == 0xEE)
    return (Int(status), Array(bytes[..<min(max(moved, 0), room)]), moved)
  }

  func outputLength(_ length: Int, _ final: Bool) -> Int {
    withExtendedLifetime(self) { CCCryptorGetOutputLength(reference, length, final) }
  }

  /// All of the parts and the end; `nil` with another status.
  func all(_ parts: [[UInt8]]) -> [UInt8]? {
    var result: [UInt8] = []
    for part in parts {
      let step = update(part)
      guard step.status == kCCSuccess else { return nil }
      result += step.bytes
    }
    let end = final()
    return end.status == kCCSuccess ? result + end.bytes : nil
  }
}

struct CryptorTests {
  @Test("The standards' texts are encrypted and decrypted", arguments: encryptions)
  func vectors(_ vector: Encryption) {
    #expect(Cryptor(kCCEncrypt, vector).all([vector.plaintext]) == vector.ciphertext)
    #expect(Cryptor(kCCDecrypt, vector).all([vector.ciphertext]) == vector.plaintext)
  }

  @Test("The same bytes come out however the data is cut", arguments: encryptions)
  func cuts(_ vector: Encryption) {
    for cut in [0, 1, 7, 8, 9, 15, 16, 17, 23, 24] {
      let parts = [Array(vector.plaintext[..<cut]), [], Array(vector.plaintext[cut...])]
      #expect(Cryptor(kCCEncrypt, vector).all(parts) == vector.ciphertext)
    }
    #expect(Cryptor(kCCDecrypt, vector).all(vector.ciphertext.map { [$0] }) == vector.plaintext)
  }

  @Test("Padding fills a block, or is one", arguments: 0...33)
  func padding(_ length: Int) throws {
    let data = (0..<length).map { UInt8($0) }
    for vector in encryptions {
      let ciphertext = try #require(Cryptor(kCCEncrypt, vector, padding: true).all([data]))
      let block = vector.algorithm == CCAlgorithm(kCCAlgorithmAES) ? 16 : 8
      let blocks = [CCMode(kCCModeECB), CCMode(kCCModeCBC)].contains(vector.mode)
      #expect(ciphertext.count == (blocks ? (length / block + 1) * block : length))
      #expect(Cryptor(kCCDecrypt, vector, padding: true).all([ciphertext]) == data)
      #expect(Cryptor(kCCDecrypt, vector, padding: true).all(ciphertext.map { [$0] }) == data)
    }
  }

  @Test("Data longer than the inner buffer passes in place, after a byte that was held")
  func inPlace() throws {
    let vector = encryptions[3]
    let data = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 / 251) }
    let expected = try #require(Cryptor(kCCEncrypt, vector, padding: true).all([data]))
    for held in [0, 1, 5, 15] {
      let cryptor = Cryptor(kCCEncrypt, vector, padding: true)
      #expect(cryptor.update(Array(data[..<held])) == (kCCSuccess, [], 0))
      var buffer = Array(data[held...]) + [UInt8](repeating: 0, count: 32)
      var moved = 0
      let status = buffer.withUnsafeMutableBytes {
        CCCryptorUpdate(
          cryptor.reference, $0.baseAddress, data.count - held, $0.baseAddress, $0.count, &moved)
      }
      #expect(status == kCCSuccess)
      #expect(Array(buffer[..<moved]) + cryptor.final().bytes == expected)
    }
  }

  @Test("An update that lacks room says how much it needs, and can be repeated")
  func updateBuffer() {
    let vector = encryptions[3]
    let cryptor = Cryptor(kCCEncrypt, vector)
    #expect(cryptor.update(Array(nist[..<5])).moved == 0)
    let rest = Array(nist[5...])
    for room in [0, 1, 63] {
      let result = cryptor.update(rest, room: room)
      #expect(result.status == kCCBufferTooSmall)
      #expect(result.moved == 64)
    }
    #expect(cryptor.update(rest, room: 64).bytes == vector.ciphertext)
  }

  @Test("An end that lacks room says how much it needs, and can be repeated")
  func finalBuffer() {
    let vector = encryptions[3]
    let encryptor = Cryptor(kCCEncrypt, vector, padding: true)
    #expect(encryptor.update([1, 2, 3]).moved == 0)
    #expect(encryptor.final(room: 15).status == kCCBufferTooSmall)
    #expect(encryptor.final(room: 15).moved == 16)
    let ciphertext = encryptor.final(room: 16).bytes
    let decryptor = Cryptor(kCCDecrypt, vector, padding: true)
    #expect(decryptor.update(ciphertext).moved == 0)
    let small = decryptor.final(room: 2)
    #expect(small.status == kCCBufferTooSmall)
    #expect(small.moved == 3)
    #expect(decryptor.final(room: 3).bytes == [1, 2, 3])
  }

  @Test("The output's length is foretold")
  func outputLength() {
    let encryptor = Cryptor(kCCEncrypt, encryptions[3], padding: true)
    #expect(encryptor.outputLength(15, false) == 0)
    #expect(encryptor.outputLength(16, false) == 16)
    #expect(encryptor.outputLength(15, true) == 16)
    #expect(encryptor.outputLength(16, true) == 32)
    let decryptor = Cryptor(kCCDecrypt, encryptions[3], padding: true)
    #expect(decryptor.outputLength(16, false) == 0)
    #expect(decryptor.outputLength(17, false) == 16)
    #expect(decryptor.outputLength(32, true) == 32)
    #expect(Cryptor(kCCEncrypt, encryptions[8]).outputLength(5, false) == 5)
    #expect(CCCryptorGetOutputLength(nil, 16, true) == 0)
    // No buffer has such a length; the answer is no small number all the same.
    #expect(UInt(bitPattern: encryptor.outputLength(-1, true)) > UInt.max / 2)
    #expect(UInt(bitPattern: encryptor.outputLength(-1, false)) > UInt.max / 2)
  }

  @Test("Data that ends within a block is an alignment error without padding")
  func alignment() {
    for operation in [kCCEncrypt, kCCDecrypt] {
      let cryptor = Cryptor(operation, encryptions[3])
      #expect(cryptor.update(Array(nist[..<17])).moved == 16)
      #expect(cryptor.final().status == kCCAlignmentError)
    }
    let decryptor = Cryptor(kCCDecrypt, encryptions[3], padding: true)
    #expect(decryptor.update(Array(nist[..<17])).moved == 16)
    #expect(decryptor.final().status == kCCAlignmentError)
  }

  @Test("Padding that is none is a decoding error")
  func wrongPadding() throws {
    let vector = encryptions[0]
    let endings: [[UInt8]] = [[0], [17], [0xFF], [1, 2], [3, 2, 3], [15] + [UInt8](repeating: 16, count: 15)]
    for ending in endings {
      let block = [UInt8](repeating: 9, count: 16 - ending.count) + ending
      let ciphertext = try #require(Cryptor(kCCEncrypt, vector).all([block]))
      let decryptor = Cryptor(kCCDecrypt, vector, padding: true)
      #expect(decryptor.update(ciphertext).status == kCCSuccess)
      #expect(decryptor.final() == (kCCDecodeError, [], 0))
      #expect(decryptor.final().status == kCCCallSequenceError)
    }
    #expect(Cryptor(kCCDecrypt, vector, padding: true).final().status == kCCDecodeError)
  }

  @Test("A cryptor at its end wants to be reset, and begins anew then", arguments: encryptions)
  func reset(_ vector: Encryption) {
    let cryptor = Cryptor(kCCEncrypt, vector)
    #expect(cryptor.all([vector.plaintext]) == vector.ciphertext)
    if cryptor.update([]).status != kCCSuccess {
      #expect(cryptor.update(vector.plaintext).status == kCCCallSequenceError)
      #expect(cryptor.final().status == kCCCallSequenceError)
    }
    #expect(CCCryptorReset(cryptor.reference, vector.iv) == kCCSuccess)
    #expect(cryptor.update([1, 2, 3]).status == kCCSuccess)
    #expect(CCCryptorReset(cryptor.reference, vector.iv) == kCCSuccess)
    #expect(cryptor.all([vector.plaintext]) == vector.ciphertext)
    #expect(CCCryptorReset(cryptor.reference, nil) == kCCSuccess)
    #expect((cryptor.all([vector.plaintext]) == vector.ciphertext) == (vector.iv == nil))
  }

  @Test("Keys of other lengths are refused", arguments: [0, 1, 7, 9, 15, 17, 23, 25, 31, 33, 64, 1 << 40])
  func keyLengths(_ length: Int) {
    for algorithm in [kCCAlgorithmAES, kCCAlgorithmDES, kCCAlgorithm3DES] {
      var cryptor: CCCryptorRef?
      let key = [UInt8](repeating: 1, count: 64)
      let status = CCCryptorCreate(
        CCOperation(kCCEncrypt), CCAlgorithm(algorithm), CCOptions(kCCOptionPKCS7Padding), key, length, nil, &cryptor)
      #expect(status == kCCKeySizeError)
      #expect(cryptor == nil)
    }
  }

  @Test("What is not there says so")
  func unimplemented() {
    var cryptor: CCCryptorRef?
    let key = [UInt8](repeating: 1, count: 16)
    for algorithm in [kCCAlgorithmCAST, kCCAlgorithmRC4, kCCAlgorithmRC2, kCCAlgorithmBlowfish] {
      #expect(CCCryptorCreate(0, CCAlgorithm(algorithm), 0, key, 16, nil, &cryptor) == kCCUnimplemented)
    }
    for (mode, options) in [(kCCModeXTS, 0), (kCCModeRC4, 0), (99, 0), (kCCModeCTR, kCCModeOptionCTR_LE)] {
      let status = CCCryptorCreateWithMode(
        0, CCMode(mode), 0, 0, nil, key, 16, nil, 0, 0, CCModeOptions(options), &cryptor)
      #expect(status == kCCUnimplemented)
    }
    #expect(
      CCCryptorCreateWithMode(0, CCMode(kCCModeCTR), 1, 0, nil, key, 8, nil, 0, 0, 0, &cryptor) == kCCUnimplemented)
    #expect(cryptor == nil)
  }

  @Test("Unknown operations, algorithms, options and paddings are refused, as are keys that are NULL")
  func parameters() {
    var cryptor: CCCryptorRef?
    let key = [UInt8](repeating: 1, count: 16)
    #expect(CCCryptorCreate(2, 0, 0, key, 16, nil, &cryptor) == kCCParamError)
    #expect(CCCryptorCreate(0, 7, 0, key, 16, nil, &cryptor) == kCCParamError)
    #expect(CCCryptorCreate(0, 0, 4, key, 16, nil, &cryptor) == kCCParamError)
    #expect(CCCryptorCreate(0, 0, 0, nil, 16, nil, &cryptor) == kCCParamError)
    #expect(CCCryptorCreate(0, 0, 0, key, 16, nil, nil) == kCCParamError)
    #expect(CCCryptorCreateWithMode(0, 2, 0, 2, nil, key, 16, nil, 0, 0, 0, &cryptor) == kCCParamError)
    #expect(CCCryptorCreateWithMode(0, 2, 0, 0, nil, key, 16, nil, 0, 0, 8, &cryptor) == kCCParamError)
    #expect(cryptor == nil)
  }

  @Test("Calls without a cryptor, without data and without room are refused")
  func nulls() {
    var bytes = [UInt8](repeating: 0, count: 16)
    var moved = 7
    #expect(CCCryptorUpdate(nil, bytes, 16, &bytes, 16, &moved) == kCCParamError)
    #expect(moved == 0)
    #expect(CCCryptorFinal(nil, &bytes, 16, &moved) == kCCParamError)
    #expect(CCCryptorReset(nil, nil) == kCCParamError)
    #expect(CCCryptorRelease(nil) == kCCSuccess)
    let cryptor = Cryptor(kCCEncrypt, encryptions[0], padding: true)
    defer { withExtendedLifetime(cryptor) {} }
    #expect(CCCryptorUpdate(cryptor.reference, nil, 16, &bytes, 16, &moved) == kCCParamError)
    #expect(CCCryptorUpdate(cryptor.reference, bytes, 16, nil, 16, &moved) == kCCParamError)
    #expect(CCCryptorUpdate(cryptor.reference, nil, 0, nil, 0, nil) == kCCSuccess)
    #expect(CCCryptorFinal(cryptor.reference, nil, 16, nil) == kCCParamError)
    #expect(CCCryptorFinal(cryptor.reference, &bytes, 16, nil) == kCCSuccess)
  }
}
