import Crypto
import LatchkeyByteCoding
import LatchkeyTestSupport
import Testing

@testable import LatchkeyProvisioningProtocol

/// Vectors of the specifications that the secure protocol stands on, through the functions that it calls.
@Suite struct PublishedVectorTests {
  @Test("X25519 iterates as RFC 7748 5.2 does: a thousand times, and a million in a soak")
  func iterations() {
    let expected = [
      1: "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
      1000: "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51",
      1_000_000: "7c3911e0ab2586fd864497297e575e6f3bc601c0883c30df5f4dd2d24f665424",
    ]
    var (scalar, point) = ([9] + [UInt8](repeating: 0, count: 31), [9] + [UInt8](repeating: 0, count: 31))
    var seen = 0
    for count in 1...(isSoak ? 1_000_000 : 1000) {
      let product = X25519.multiply(SecretBytes(scalar), point)?.array() ?? []
      (scalar, point) = (product, scalar)
      guard let value = expected[count] else { continue }
      #expect(scalar == hex(value), "after \(count)")
      seen += 1
    }
    #expect(seen == (isSoak ? 3 : 2))
  }

  /// RFC 8439 2.8.2 and A.5.
  @Test("ChaCha20-Poly1305 seals and opens as RFC 8439 does, and nothing else")
  func recordCipher() throws {
    let vectors = [
      (
        key: "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f", nonce: "070000004041424344454647",
        data: "50515253c0c1c2c3c4c5c6c7",
        plaintext: Array(
          ("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
            + "sunscreen would be it.")
            .utf8),
        sealed: "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b"
          + "1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
          + "3ff4def08e4b7a9de576d26586cec64b6116" + "1ae10b594f09e26a7e902ecbd0600691"
      ),
      (
        key: "1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0", nonce: "000000000102030405060708",
        data: "f33388860000000000004e91",
        plaintext: Array(
          ("Internet-Drafts are draft documents valid for a maximum of six months and may be updated, replaced, or "
            + "obsoleted by other documents at any time. It is inappropriate to use Internet-Drafts as reference material "
            + "or to cite them other than as /\u{201C}work in progress./\u{201D}").utf8),
        sealed: "64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb24c6cfc18755d43eea09ee94e382d26b0"
          + "bdb7b73c321b0100d4f03b7f355894cf332f830e710b97ce98c8a84abd0b948114ad176e008d33bd60f982b1ff37c8559"
          + "797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4b9166c767b804d46a59b5216cde7a4e990"
          + "40c5a40433225ee282a1b0a06c523eaf4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a0bb2"
          + "316053fa76991955ebd63159434ecebb4e466dae5a1073a6727627097a1049e617d91d361094fa68f0ff77987130305beab"
          + "a2eda04df997b714d6c6f2c29a6ad5cb4022b02709b" + "eead9d67890cbb22392336fea1851f38"
      ),
    ]
    for vector in vectors {
      let key = SymmetricKey(data: hex(vector.key))
      let (nonce, data, sealed) = (hex(vector.nonce), hex(vector.data), hex(vector.sealed))
      #expect(SecureRecordCipher.seal(vector.plaintext, key, nonce: nonce, authenticating: data) == sealed)
      #expect(SecureRecordCipher.open(sealed, key, nonce: nonce, authenticating: data) == vector.plaintext)
      for index in sealed.indices {
        var altered = sealed
        altered[index] ^= 1
        #expect(SecureRecordCipher.open(altered, key, nonce: nonce, authenticating: data) == nil)
      }
      #expect(SecureRecordCipher.open(sealed, key, nonce: nonce, authenticating: data + [0]) == nil)
      #expect(SecureRecordCipher.open(sealed, key, nonce: nonce.dropLast() + [0], authenticating: data) == nil)
      #expect(SecureRecordCipher.seal([], key, nonce: nonce + [0], authenticating: data) == nil)
    }
  }

  @Test("Tags are the first half of HMAC-SHA-512 as in RFC 4231")
  func tags() {
    // Cases 1 to 4, 6 and 7; case 5 is cut shorter than a tag.
    let long =
      "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
      + "hashed before being used by the HMAC algorithm."
    let cases: [(key: [UInt8], data: [UInt8], tag: String)] = [
      (
        [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
        "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
      ),
      (
        Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
      ),
      (
        [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
        "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
      ),
      (
        [UInt8](1...25), [UInt8](repeating: 0xCD, count: 50),
        "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131), Array(long.utf8),
        "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
      ),
    ]
    for (key, data, tag) in cases {
      #expect(SecureKeySchedule.tag(SymmetricKey(data: key), data) == hex(tag))
    }
  }

  @Test("HKDF with SHA-512 gives what another library gives", arguments: SecureVectors.all.hkdf.indices)
  func keyDerivation(_ index: Int) {
    let vector = SecureVectors.all.hkdf[index]
    let root = SecureKeySchedule.extract(SecretBytes(hex(vector.ikm)), salt: hex(vector.salt))
    let key = SecureKeySchedule.expand(root, info: hex(vector.info), count: hex(vector.okm).count)
    #expect(key.withUnsafeBytes { Array($0) } == hex(vector.okm))
  }

  /// RFC 5869 A.3, the one of its cases that has no info, as Noise has none.
  @Test("Noise's HKDF is RFC 5869's")
  func noiseKeyDerivation() {
    let okm = NoiseNNpsk0.expanded(
      SecretBytes(count: 0), SecretBytes([UInt8](repeating: 0x0B, count: 22)), count: 42)
    #expect(
      okm.array()
        == hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
  }

  @Test(
    "ML-KEM-768 opens NIST's ciphertexts, and gives another secret for one that was altered",
    arguments: SecureVectors.all.decapsulations.indices)
  func decapsulation(_ index: Int) {
    let vector = SecureVectors.all.decapsulations[index]
    let seed = SecretBytes(hex(vector.seed))
    let ciphertext = hex(vector.ciphertext)
    #expect(MLKEM.decapsulate(ciphertext, seed: seed)?.array() == hex(vector.secret))
    var altered = ciphertext
    altered[0] ^= 1
    // FIPS 203 algorithm 18: SHAKE256 of z and the ciphertext.
    #expect(MLKEM.decapsulate(altered, seed: seed)?.array() == hex(vector.rejected))
  }

  @Test("CPace gives the generator that stands in the draft for no other password, channel or run")
  func generatorsDiffer() {
    let run = SecureVectors.all.cpace
    let (password, channel, session) = (hex(run.password), hex(run.channel), hex(run.session))
    for (other, channel, session) in [
      (password + [0], channel, session), (password, channel + [0], session), (password, channel, session + [0]),
      (password, channel.dropLast(), [0] + session),
    ] {
      let generator = CPace.generator(password: SecretBytes(other), channel: Array(channel), session: session)
      #expect(generator != hex(run.generator))
    }
  }
}
