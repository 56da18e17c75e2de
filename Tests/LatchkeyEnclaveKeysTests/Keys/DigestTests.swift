import LatchkeyEnclaveKeys
import Testing

@Suite("Digests")
struct DigestTests {
  @Test("the digests of FIPS 180's examples")
  func examples() throws {
    // NIST CSRC, "Examples with intermediate values": the message "abc". More of SHA-224: LatchkeyByteCodingTests.
    #expect(
      DigestAlgorithm.sha224.hash(Array("abc".utf8))
        == (try hex("23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7")))
    #expect(
      DigestAlgorithm.sha1.hash(Array("abc".utf8)) == (try hex("a9993e364706816aba3e25717850c26c9cd0d89d")))
    #expect(
      DigestAlgorithm.sha256.hash(Array("abc".utf8))
        == (try hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")))
  }
}
