import EnclaveKeys
import Testing

@Suite("Digests")
struct DigestTests {
  @Test("the digests of FIPS 180's examples")
  func examples() throws {
    // NIST CSRC, "Examples with intermediate values": the messages "abc" and of 448 bits.
    let long = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
    #expect(
      DigestAlgorithm.sha224.hash(Array("abc".utf8))
        == (try hex("23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7")))
    #expect(
      DigestAlgorithm.sha224.hash(long) == (try hex("75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525")))
    #expect(DigestAlgorithm.sha224.hash([]) == (try hex("d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f")))
    #expect(
      DigestAlgorithm.sha1.hash(Array("abc".utf8)) == (try hex("a9993e364706816aba3e25717850c26c9cd0d89d")))
    #expect(
      DigestAlgorithm.sha256.hash(Array("abc".utf8))
        == (try hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")))
  }

  @Test("SHA-224 of messages round the length of a block, against OpenSSL's")
  func blockLengths() throws {
    // printf of so many letters a | openssl dgst -sha224 (OpenSSL 3.0).
    let known = [
      55: "fb0bd626a70c28541dfa781bb5cc4d7d7f56622a58f01a0b1ddd646f",
      56: "d40854fc9caf172067136f2e29e1380b14626bf6f0dd06779f820dcd",
      63: "1d4e051f4d6fed2a63fd2421e65834cec00d64456553de3496ae8b1d",
      64: "a88cd5cde6d6fe9136a4e58b49167461ea95d388ca2bdb7afdc3cbf4",
      65: "ff8716f600af42959d0efb52e1f21b01bb328733009344d511c299fb",
      119: "e000e6709d26667b631faa7fc1bd404eb4774003c5fb4f51a0184875",
      120: "66924e30a9929327e7a6cf03747397226ed2efc180ebe3dea7132a79",
      128: "39873a2441c56608137850f4c54dde157710b9a2b83c8bdc756dd643",
      1000: "4e8f0ce90b64661a2b5e84be6d93a7d9b76871062f1814433d04a03d",
    ]
    for (count, digest) in known {
      #expect(DigestAlgorithm.sha224.hash([UInt8](repeating: 0x61, count: count)) == (try hex(digest)), "\(count)")
    }
  }
}
