import CommonCrypto
import Testing

/// One digest through its four calls, whatever its context is.
struct Digest: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let length: Int
  let abc: String
  let empty: String
  let once: @Sendable (UnsafeRawPointer?, CC_LONG, UnsafeMutablePointer<UInt8>?) -> Bool
  /// The digest of the concatenation, by a context; `nil` if a call answers 0.
  let streamed: @Sendable ([[UInt8]]) -> [UInt8]?

  static func streaming<Context>(
    _ length: Int32, _ context: Context, _ initialize: (UnsafeMutablePointer<Context>?) -> Int32,
    _ update: (UnsafeMutablePointer<Context>?, UnsafeRawPointer?, CC_LONG) -> Int32,
    _ final: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Context>?) -> Int32, _ parts: [[UInt8]]
  ) -> [UInt8]? {
    var context = context
    var digest = [UInt8](repeating: 0xEE, count: Int(length) + 1)
    guard initialize(&context) == 1 else { return nil }
    for part in parts { guard update(&context, part, CC_LONG(part.count)) == 1 else { return nil } }
    guard final(&digest, &context) == 1, digest.last == 0xEE else { return nil }
    return Array(digest.dropLast())
  }
}

// FIPS 180-4's examples for "abc"; RFC 1321 A.5 for MD5.
private let digests = [
  Digest(
    testDescription: "MD5", length: 16, abc: "900150983cd24fb0d6963f7d28e17f72",
    empty: "d41d8cd98f00b204e9800998ecf8427e", once: { CC_MD5($0, $1, $2) != nil },
    streamed: { Digest.streaming(CC_MD5_DIGEST_LENGTH, CC_MD5_CTX(), CC_MD5_Init, CC_MD5_Update, CC_MD5_Final, $0) }),
  Digest(
    testDescription: "SHA-1", length: 20, abc: "a9993e364706816aba3e25717850c26c9cd0d89d",
    empty: "da39a3ee5e6b4b0d3255bfef95601890afd80709", once: { CC_SHA1($0, $1, $2) != nil },
    streamed: {
      Digest.streaming(CC_SHA1_DIGEST_LENGTH, CC_SHA1_CTX(), CC_SHA1_Init, CC_SHA1_Update, CC_SHA1_Final, $0)
    }
  ),
  Digest(
    testDescription: "SHA-224", length: 28, abc: "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
    empty: "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f", once: { CC_SHA224($0, $1, $2) != nil },
    streamed: {
      Digest.streaming(CC_SHA224_DIGEST_LENGTH, CC_SHA256_CTX(), CC_SHA224_Init, CC_SHA224_Update, CC_SHA224_Final, $0)
    }),
  Digest(
    testDescription: "SHA-256", length: 32, abc: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    empty: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", once: { CC_SHA256($0, $1, $2) != nil },
    streamed: {
      Digest.streaming(CC_SHA256_DIGEST_LENGTH, CC_SHA256_CTX(), CC_SHA256_Init, CC_SHA256_Update, CC_SHA256_Final, $0)
    }),
  Digest(
    testDescription: "SHA-384", length: 48,
    abc: "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
    empty: "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b",
    once: { CC_SHA384($0, $1, $2) != nil },
    streamed: {
      Digest.streaming(CC_SHA384_DIGEST_LENGTH, CC_SHA512_CTX(), CC_SHA384_Init, CC_SHA384_Update, CC_SHA384_Final, $0)
    }),
  Digest(
    testDescription: "SHA-512", length: 64,
    abc: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
      + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    empty: "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
      + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
    once: { CC_SHA512($0, $1, $2) != nil },
    streamed: {
      Digest.streaming(CC_SHA512_DIGEST_LENGTH, CC_SHA512_CTX(), CC_SHA512_Init, CC_SHA512_Update, CC_SHA512_Final, $0)
    }),
]

struct DigestTests {
  private func digest(_ data: [UInt8], by digest: Digest) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0xEE, count: digest.length + 1)
    guard digest.once(data, CC_LONG(data.count), &bytes), bytes.last == 0xEE else { return nil }
    return Array(bytes.dropLast())
  }

  @Test("The standards' examples come out in one call", arguments: digests)
  func examples(_ digest: Digest) {
    #expect(self.digest(Array("abc".utf8), by: digest) == hex(digest.abc))
    #expect(self.digest([], by: digest) == hex(digest.empty))
  }

  @Test("A context gives the same digest however the data is cut", arguments: digests)
  func cuts(_ digest: Digest) {
    #expect(digest.streamed([Array("abc".utf8)]) == hex(digest.abc))
    #expect(digest.streamed([]) == hex(digest.empty))
    let data = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let whole = self.digest(data, by: digest)
    for cut in [0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 299, 300] {
      #expect(digest.streamed([Array(data[..<cut]), [], Array(data[cut...])]) == whole)
    }
  }

  @Test("A copy of a context is a context of its own")
  func copies() {
    var context = CC_SHA256_CTX()
    var first = [UInt8](repeating: 0, count: 32)
    var second = first
    CC_SHA256_Init(&context)
    CC_SHA256_Update(&context, "ab", 2)
    var copy = context
    CC_SHA256_Update(&context, "x", 1)
    CC_SHA256_Final(&first, &context)
    CC_SHA256_Update(&copy, "c", 1)
    CC_SHA256_Final(&second, &copy)
    #expect(second == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    #expect(first != second)
  }

  @Test("Without a place for the digest there is none", arguments: digests)
  func noPlace(_ digest: Digest) {
    #expect(!digest.once("abc", 3, nil))
  }

  @Test("Data of NULL is empty or refused", arguments: digests)
  func noData(_ digest: Digest) {
    var bytes = [UInt8](repeating: 0, count: digest.length)
    #expect(digest.once(nil, 0, &bytes))
    #expect(bytes == hex(digest.empty))
    bytes = [UInt8](repeating: 0xEE, count: digest.length)
    #expect(!digest.once(nil, 1, &bytes))
    #expect(bytes == [UInt8](repeating: 0xEE, count: digest.length))
  }

  @Test("The three calls of a context refuse NULL")
  func nullContexts() {
    var context = CC_SHA512_CTX()
    var digest = [UInt8](repeating: 0, count: 64)
    #expect(CC_SHA512_Init(nil) == 0)
    #expect(CC_SHA512_Init(&context) == 1)
    #expect(CC_SHA512_Update(nil, "a", 1) == 0)
    #expect(CC_SHA512_Update(&context, nil, 1) == 0)
    #expect(CC_SHA512_Update(&context, nil, 0) == 1)
    #expect(CC_SHA512_Final(nil, &context) == 0)
    #expect(CC_SHA512_Final(&digest, nil) == 0)
  }
}
