import LatchkeyByteCoding
import Testing

@Suite("SHA-224")
struct SHA224Tests {
  @Test(
    "answers FIPS 180's examples, and OpenSSL's and Python's for lengths round a block, however it is fed",
    arguments: [
      // NIST CSRC, "Examples with intermediate values": the messages "abc" and of 448 bits.
      ("abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
      ("", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"
      ),
      // hashlib.sha224 of Python 3.
      (String(repeating: "x", count: 55), "2791c7d25712eb5be75c30b2d45f6fce96e5a50ee64cf373056704a3"),
      (String(repeating: "x", count: 56), "82199913c2712c46707ad08c8bfa2a69f68e9092dc5cdfaaaf07d77f"),
      (String(repeating: "x", count: 63), "57176f335e39202a5454db924c660af77ec98a91f35706d9f57d7398"),
      (String(repeating: "x", count: 64), "08c3050e95fe11eacb9dc7824bf6a92bcf2d59c21701321fba0e62c5"),
      (String(repeating: "x", count: 65), "b14ef0fefbdb3c42af0d9b42709410c66506d0ed003cd65463a8f96b"),
      (String(repeating: "x", count: 119), "d75fd32c9a5ddf823b9f5b99b5170d51f8d9103d1436b5996c62b504"),
      (String(repeating: "x", count: 120), "39d41dac408a2db1463e7077b115776faa2a395bdec3293f6ec98cc9"),
      (String(repeating: "x", count: 128), "4328cf4d227d10ab6dab5f02c7905cd583b2fcaf0be9a7ab9da5c692"),
      // openssl dgst -sha224 (OpenSSL 3.0).
      (String(repeating: "a", count: 1000), "4e8f0ce90b64661a2b5e84be6d93a7d9b76871062f1814433d04a03d"),
    ])
  func answers(text: String, expected: String) {
    let message = Array(text.utf8)
    for cut in [0, 3, 64, message.count] where cut <= message.count {
      var function = SHA224()
      function.update(Array(message[..<cut]))
      message[cut...].withUnsafeBytes { function.update(bufferPointer: $0) }
      let digest = function.finalize()
      #expect(Hexadecimal.encode(digest) == expected, "cut at \(cut)")
      #expect(digest.count == SHA224.byteCount)
    }
  }

  @Test("a copy goes its own way")
  func copies() {
    var first = SHA224()
    first.update(Array("ab".utf8))
    var second = first
    second.update(Array("c".utf8))
    let ended = second.finalize()
    #expect(Hexadecimal.encode(ended) == "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7")
    first.update(Array("c".utf8))
    #expect(first.finalize() == ended)
  }
}
