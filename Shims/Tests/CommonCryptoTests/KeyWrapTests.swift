import CommonCrypto
import Testing

struct Wrapping: CustomTestStringConvertible, Sendable {
  let keyLength: Int
  let wrapped: [UInt8]
  let wrappingKey: [UInt8]
  var key: [UInt8] { Array((hex("00112233445566778899AABBCCDDEEFF") + (0..<16).map { UInt8($0) })[..<keyLength]) }
  var testDescription: String { "\(keyLength) bytes by AES-\(wrappingKey.count * 8)" }

  init(_ wrappingLength: Int, _ keyLength: Int, _ wrapped: String) {
    wrappingKey = (0..<wrappingLength).map { UInt8($0) }
    self.keyLength = keyLength
    self.wrapped = hex(wrapped)
  }
}

// RFC 3394 4.1 to 4.6.
private let wrappings = [
  Wrapping(16, 16, "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"),
  Wrapping(24, 16, "96778b25ae6ca435f92b5b97c050aed2468ab8a17ad84e5d"),
  Wrapping(32, 16, "64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7"),
  Wrapping(24, 24, "031d33264e15d33268f24ec260743edce1c6c7ddee725a936ba814915c6762d2"),
  Wrapping(32, 24, "a8f9bc1612c68b3ff6e6f4fbe30e71e4769c8b80a32cb8958cd5d17d6b254da1"),
  Wrapping(32, 32, "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"),
]

struct KeyWrapTests {
  private let aes = CCWrappingAlgorithm(kCCWRAPAES)

  private func wrap(
    _ key: [UInt8], by wrappingKey: [UInt8], iv: [UInt8]? = nil, room: Int? = nil
  ) -> (status: Int, bytes: [UInt8], length: Int) {
    var length = room ?? key.count + 8
    var bytes = [UInt8](repeating: 0xEE, count: length)
    let iv = iv ?? Array(UnsafeBufferPointer(start: CCrfc3394_iv, count: CCrfc3394_ivLen))
    let status = CCSymmetricKeyWrap(
      aes, iv, iv.count, wrappingKey, wrappingKey.count, key, key.count, &bytes, &length)
    return (Int(status), bytes, length)
  }

  private func unwrap(
    _ wrapped: [UInt8], by wrappingKey: [UInt8], iv: [UInt8]? = nil, room: Int? = nil
  ) -> (status: Int, bytes: [UInt8], length: Int) {
    var length = room ?? max(wrapped.count - 8, 0)
    var bytes = [UInt8](repeating: 0xEE, count: length)
    let iv = iv ?? Array(UnsafeBufferPointer(start: CCrfc3394_iv, count: CCrfc3394_ivLen))
    let status = CCSymmetricKeyUnwrap(
      aes, iv, iv.count, wrappingKey, wrappingKey.count, wrapped, wrapped.count, &bytes, &length)
    return (Int(status), bytes, length)
  }

  @Test("The standard's keys are wrapped and unwrapped", arguments: wrappings)
  func vectors(_ vector: Wrapping) {
    #expect(CCSymmetricWrappedSize(aes, vector.keyLength) == vector.wrapped.count)
    #expect(CCSymmetricUnwrappedSize(aes, vector.wrapped.count) == vector.keyLength)
    #expect(wrap(vector.key, by: vector.wrappingKey) == (kCCSuccess, vector.wrapped, vector.wrapped.count))
    #expect(unwrap(vector.wrapped, by: vector.wrappingKey) == (kCCSuccess, vector.key, vector.keyLength))
  }

  @Test("A key longer than 42 halves of a block counts steps in more than a byte")
  func manySteps() {
    let key = (0..<2048).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let wrapped = wrap(key, by: wrappings[0].wrappingKey)
    #expect(wrapped.status == kCCSuccess)
    // By another implementation (Python's cryptography).
    var digest = [UInt8](repeating: 0, count: 32)
    CC_SHA256(wrapped.bytes, CC_LONG(wrapped.bytes.count), &digest)
    #expect(digest == hex("0b5e673f4ae800fb44cffcca150dd2ba413c9f11c0df0313fb7a5c7031b727c0"))
    #expect(unwrap(wrapped.bytes, by: wrappings[0].wrappingKey) == (kCCSuccess, key, key.count))
  }

  @Test("Each byte that is changed is noticed, and nothing is written", arguments: wrappings)
  func changes(_ vector: Wrapping) {
    for index in vector.wrapped.indices {
      var changed = vector.wrapped
      changed[index] ^= 0x80
      let result = unwrap(changed, by: vector.wrappingKey)
      #expect(result.status == kCCDecodeError)
      #expect(result.bytes.allSatisfy { $0 == 0xEE })
    }
  }

  @Test("Another key, and another initial value, are noticed")
  func otherKeys() {
    let vector = wrappings[0]
    #expect(unwrap(vector.wrapped, by: [UInt8](repeating: 0, count: 16)).status == kCCDecodeError)
    let other = [UInt8](repeating: 0xA5, count: 8)
    #expect(unwrap(vector.wrapped, by: vector.wrappingKey, iv: other).status == kCCDecodeError)
    let wrapped = wrap(vector.key, by: vector.wrappingKey, iv: other)
    #expect(wrapped.bytes != vector.wrapped)
    #expect(unwrap(wrapped.bytes, by: vector.wrappingKey, iv: other).bytes == vector.key)
  }

  @Test("Keys of lengths that cannot be wrapped are refused", arguments: [0, 1, 8, 15, 17, 20, 31, 33])
  func keyLengths(_ length: Int) {
    #expect(CCSymmetricWrappedSize(aes, length) == 0)
    #expect(CCSymmetricUnwrappedSize(aes, length + 8) == 0)
    #expect(wrap([UInt8](repeating: 1, count: length), by: wrappings[0].wrappingKey).status == kCCParamError)
    #expect(unwrap([UInt8](repeating: 1, count: length + 8), by: wrappings[0].wrappingKey).status == kCCParamError)
  }

  @Test("Lengths of no key, and of nothing that memory holds, have no size")
  func sizes() {
    for length in [0, 1, 7, 8, 16, .max, .max - 7] { #expect(CCSymmetricUnwrappedSize(aes, length) == 0) }
    for length in [Int.max, .max - 7, 1 << 40] { #expect(CCSymmetricWrappedSize(aes, length) == 0) }
    #expect(CCSymmetricWrappedSize(0, 16) == 0)
    #expect(CCSymmetricUnwrappedSize(2, 24) == 0)
  }

  @Test("Wrapping keys and initial values of other lengths are refused", arguments: [0, 1, 15, 17, 33])
  func wrappingKeyLengths(_ length: Int) {
    let key = [UInt8](repeating: 1, count: length)
    #expect(wrap(wrappings[0].key, by: key).status == kCCKeySizeError)
    #expect(unwrap(wrappings[0].wrapped, by: key).status == kCCKeySizeError)
    #expect(wrap(wrappings[0].key, by: wrappings[0].wrappingKey, iv: key).status == kCCParamError)
    #expect(unwrap(wrappings[0].wrapped, by: wrappings[0].wrappingKey, iv: key).status == kCCParamError)
  }

  @Test("A buffer that is too small is told the length it needs")
  func smallBuffers() {
    let vector = wrappings[0]
    for room in [0, 1, 23] {
      let result = wrap(vector.key, by: vector.wrappingKey, room: room)
      #expect(result.status == kCCBufferTooSmall)
      #expect(result.length == 24)
      #expect(result.bytes.allSatisfy { $0 == 0xEE })
    }
    let result = unwrap(vector.wrapped, by: vector.wrappingKey, room: 15)
    #expect(result.status == kCCBufferTooSmall)
    #expect(result.length == 16)
  }

  @Test("NULL in any place is refused")
  func nulls() {
    let (key, kek) = (wrappings[0].key, wrappings[0].wrappingKey)
    var length = 24
    var bytes = [UInt8](repeating: 0, count: 24)
    #expect(CCSymmetricKeyWrap(aes, nil, 8, kek, 16, key, 16, &bytes, &length) == kCCParamError)
    #expect(CCSymmetricKeyWrap(aes, CCrfc3394_iv, 8, nil, 16, key, 16, &bytes, &length) == kCCParamError)
    #expect(CCSymmetricKeyWrap(aes, CCrfc3394_iv, 8, kek, 16, nil, 16, &bytes, &length) == kCCParamError)
    #expect(CCSymmetricKeyWrap(aes, CCrfc3394_iv, 8, kek, 16, key, 16, nil, &length) == kCCParamError)
    #expect(CCSymmetricKeyWrap(aes, CCrfc3394_iv, 8, kek, 16, key, 16, &bytes, nil) == kCCParamError)
    #expect(CCSymmetricKeyWrap(9, CCrfc3394_iv, 8, kek, 16, key, 16, &bytes, &length) == kCCParamError)
    #expect(CCSymmetricKeyUnwrap(aes, CCrfc3394_iv, 8, kek, 16, nil, 24, &bytes, &length) == kCCParamError)
    #expect(CCSymmetricKeyUnwrap(9, CCrfc3394_iv, 8, kek, 16, bytes, 24, &bytes, &length) == kCCParamError)
  }
}
