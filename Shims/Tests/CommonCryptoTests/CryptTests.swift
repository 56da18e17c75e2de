import CommonCrypto
import Testing

struct CryptTests {
  private let key = hex("2b7e151628aed2a6abf7158809cf4f3c")
  private let iv = (0..<16).map { UInt8($0) }

  private func crypt(
    _ operation: Int, _ data: [UInt8], options: Int = kCCOptionPKCS7Padding, room: Int, key: [UInt8]? = nil
  ) -> (status: Int, bytes: [UInt8], moved: Int) {
    var bytes = [UInt8](repeating: 0xEE, count: room + 1)
    var moved = -1
    let key = key ?? self.key
    let status = CCCrypt(
      CCOperation(operation), CCAlgorithm(kCCAlgorithmAES), CCOptions(options), key, key.count, iv, data, data.count,
      &bytes, room, &moved)
    #expect(bytes.last == 0xEE)
    return (Int(status), Array(bytes[..<min(max(moved, 0), room)]), moved)
  }

  @Test("SP 800-38A's texts are encrypted and decrypted in one call")
  func vectors() {
    for vector in encryptions where [CCMode(kCCModeECB), CCMode(kCCModeCBC)].contains(vector.mode) {
      var bytes = [UInt8](repeating: 0, count: vector.plaintext.count)
      var moved = 0
      let options = CCOptions(vector.iv == nil ? kCCOptionECBMode : 0)
      var status = CCCrypt(
        CCOperation(kCCEncrypt), vector.algorithm, options, vector.key, vector.key.count, vector.iv, vector.plaintext,
        vector.plaintext.count, &bytes, bytes.count, &moved)
      #expect(status == kCCSuccess && moved == bytes.count && bytes == vector.ciphertext)
      status = CCCrypt(
        CCOperation(kCCDecrypt), vector.algorithm, options, vector.key, vector.key.count, vector.iv, vector.ciphertext,
        vector.ciphertext.count, &bytes, bytes.count, &moved)
      #expect(status == kCCSuccess && moved == bytes.count && bytes == vector.plaintext)
    }
  }

  @Test("Data of each length comes back", arguments: [0, 1, 15, 16, 17, 4095, 4096, 4097, 10_000])
  func lengths(_ length: Int) {
    let data = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    let encrypted = crypt(kCCEncrypt, data, room: length + 16)
    #expect(encrypted.status == kCCSuccess)
    #expect(encrypted.moved == (length / 16 + 1) * 16)
    // Apps give as much room as the ciphertext has, or as the plaintext will have.
    for room in [encrypted.moved, length] {
      #expect(crypt(kCCDecrypt, encrypted.bytes, room: room) == (kCCSuccess, data, length))
    }
  }

  @Test("A buffer that is too small is told what it needs", arguments: [0, 1, 16, 31])
  func smallBuffers(_ room: Int) {
    let data = [UInt8](repeating: 5, count: 16)
    let result = crypt(kCCEncrypt, data, room: room)
    #expect(result.status == kCCBufferTooSmall)
    #expect(result.moved == 32)
    #expect(result.bytes.allSatisfy { $0 == 0xEE })
    let ciphertext = crypt(kCCEncrypt, data, room: 32).bytes
    let decrypted = crypt(kCCDecrypt, ciphertext, room: min(room, 15))
    #expect(decrypted.status == kCCBufferTooSmall)
    #expect(decrypted.moved == 32)
  }

  @Test("Data is replaced in place, and left alone where there is too little room")
  func inPlace() {
    let plaintext = (0..<40).map { UInt8($0) }
    let expected = crypt(kCCEncrypt, plaintext, room: 48).bytes
    var buffer = plaintext + [UInt8](repeating: 0, count: 8)
    var moved = 0
    func run(_ operation: Int, _ length: Int, room: Int) -> Int {
      buffer.withUnsafeMutableBytes {
        Int(
          CCCrypt(
            CCOperation(operation), 0, CCOptions(kCCOptionPKCS7Padding), key, 16, iv, $0.baseAddress, length,
            $0.baseAddress, room, &moved))
      }
    }
    #expect(run(kCCEncrypt, 40, room: 40) == kCCBufferTooSmall)
    #expect(Array(buffer[..<40]) == plaintext)
    #expect(run(kCCEncrypt, 40, room: 48) == kCCSuccess)
    #expect(buffer == expected)
    #expect(run(kCCDecrypt, 48, room: 40) == kCCBufferTooSmall)
    #expect(buffer == expected)
    #expect(run(kCCDecrypt, 48, room: 48) == kCCSuccess)
    #expect(moved == 40)
    #expect(Array(buffer[..<40]) == plaintext)
  }

  @Test("Without padding, and in decryption, data must fill its blocks", arguments: [1, 15, 17, 33])
  func alignment(_ length: Int) {
    let data = [UInt8](repeating: 1, count: length)
    #expect(crypt(kCCEncrypt, data, options: 0, room: 64).status == kCCAlignmentError)
    #expect(crypt(kCCDecrypt, data, options: 0, room: 64).status == kCCAlignmentError)
    #expect(crypt(kCCDecrypt, data, room: 64).status == kCCAlignmentError)
  }

  @Test("A wrong key, or a changed last block, is a decoding error that leaves no plaintext behind")
  func wrongKey() {
    let plaintext = [UInt8](repeating: 0x41, count: 40)
    let encrypted = crypt(kCCEncrypt, plaintext, room: 48).bytes
    // Chosen so that no byte of chance looks like padding.
    #expect(crypt(kCCDecrypt, encrypted, room: 48, key: [UInt8](repeating: 0, count: 16)).status == kCCDecodeError)
    var changed = encrypted
    changed[47] ^= 1
    var bytes = [UInt8](repeating: 0xEE, count: 48)
    var moved = -1
    let status = CCCrypt(
      CCOperation(kCCDecrypt), 0, CCOptions(kCCOptionPKCS7Padding), key, 16, iv, changed, 48, &bytes, 48, &moved)
    #expect(status == kCCDecodeError)
    #expect(moved == 0)
    #expect(!bytes.contains(0x41))
  }

  @Test("No data at all is no padded text")
  func nothing() {
    #expect(crypt(kCCDecrypt, [], room: 16).status == kCCDecodeError)
    #expect(crypt(kCCDecrypt, [], options: 0, room: 16) == (kCCSuccess, [], 0))
    #expect(crypt(kCCEncrypt, [], options: 0, room: 0) == (kCCSuccess, [], 0))
  }

  @Test("Keys of other lengths are refused", arguments: [0, 8, 15, 17, 33])
  func keyLengths(_ length: Int) {
    let key = [UInt8](repeating: 1, count: length)
    #expect(crypt(kCCEncrypt, [1], room: 16, key: key).status == kCCKeySizeError)
  }

  @Test("An initial vector of NULL is zeros")
  func noInitialVector() {
    var first = [UInt8](repeating: 0, count: 16)
    var second = first
    let zeros = first
    CCCrypt(0, 0, 0, key, 16, nil, iv, 16, &first, 16, nil)
    CCCrypt(0, 0, 0, key, 16, zeros, iv, 16, &second, 16, nil)
    #expect(first == second)
    #expect(first != zeros)
  }

  @Test("NULL for the key, the data or the result is refused")
  func nulls() {
    var bytes = [UInt8](repeating: 0, count: 32)
    var moved = 9
    #expect(CCCrypt(0, 0, 1, nil, 16, iv, iv, 16, &bytes, 32, &moved) == kCCParamError)
    #expect(CCCrypt(0, 0, 1, key, 16, iv, nil, 16, &bytes, 32, &moved) == kCCParamError)
    #expect(CCCrypt(0, 0, 1, key, 16, iv, iv, 16, nil, 32, &moved) == kCCParamError)
    #expect(moved == 0)
    #expect(CCCrypt(0, 0, 1, key, 16, iv, iv, 16, nil, 0, &moved) == kCCBufferTooSmall)
    #expect(moved == 32)
  }
}
