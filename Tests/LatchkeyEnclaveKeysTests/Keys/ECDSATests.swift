@testable import LatchkeyEnclaveKeys
import Testing

@Suite("ECDSA")
struct ECDSATests {
  @Test("a signature of each curve, digest and form verifies, and of nothing else", arguments: Curve.allCases)
  func roundTrips(curve: Curve) throws {
    let key = try PrivateKey.generate(.ellipticCurve(curve))
    let stranger = try PrivateKey.generate(.ellipticCurve(curve)).publicKey
    let message = Array("message".utf8)
    for digest in DigestAlgorithm.allCases {
      for format in [SignatureFormat.x962, .rfc4754] {
        let byMessage = KeyAlgorithm.ecdsa(.message, digest, format)
        let byDigest = KeyAlgorithm.ecdsa(.digest, digest, format)
        let signature = try key.sign(message, by: byMessage)
        #expect(try key.publicKey.isValid(signature, of: message, by: byMessage))
        #expect(try key.publicKey.isValid(signature, of: digest.hash(message), by: byDigest))
        #expect(try key.publicKey.isValid(key.sign(digest.hash(message), by: byDigest), of: message, by: byMessage))
        #expect(try !key.publicKey.isValid(signature, of: message + [0], by: byMessage))
        #expect(try !stranger.isValid(signature, of: message, by: byMessage))
        #expect(try !key.publicKey.isValid(signature + [0], of: message, by: byMessage))
        #expect(try !key.publicKey.isValid(Array(signature.dropLast()), of: message, by: byMessage))
        #expect(try !key.publicKey.isValid([], of: message, by: byMessage))
        let other: SignatureFormat = format == .x962 ? .rfc4754 : .x962
        #expect(try !key.publicKey.isValid(signature, of: message, by: .ecdsa(.message, digest, other)))
        if format == .rfc4754 { #expect(signature.count == 2 * curve.byteCount) }
      }
    }
  }

  @Test("a digest of a wrong length is refused, to sign and to verify")
  func digestLengths() throws {
    let key = try PrivateKey.generate(.ellipticCurve(.p256))
    for digest in DigestAlgorithm.allCases {
      for count in [0, digest.byteCount - 1, digest.byteCount + 1] {
        let input = [UInt8](repeating: 1, count: count)
        let algorithm = KeyAlgorithm.ecdsa(.digest, digest, .x962)
        #expect(throws: KeyError.invalidInput("a digest of \(digest) has \(digest.byteCount) bytes, not \(count)")) {
          try key.sign(input, by: algorithm)
        }
        #expect(throws: KeyError.self) { try key.publicKey.isValid([], of: input, by: algorithm) }
      }
    }
    for count in [0, 65, 1000] {
      #expect(throws: KeyError.self) {
        try key.sign([UInt8](repeating: 1, count: count), by: .ecdsa(.digest, nil, .x962))
      }
    }
  }

  @Test("of a digest that is longer than the order, the first bytes count", arguments: [Curve.p256, .p384])
  func truncates(curve: Curve) throws {
    let key = try PrivateKey.generate(.ellipticCurve(curve))
    let digest = DigestAlgorithm.sha512.hash([1, 2, 3])
    let algorithm = KeyAlgorithm.ecdsa(.digest, nil, .x962)
    let signature = try key.sign(digest, by: algorithm)
    #expect(try key.publicKey.isValid(signature, of: Array(digest.prefix(curve.byteCount)), by: algorithm))
    #expect(try !key.publicKey.isValid(signature, of: Array(digest.prefix(curve.byteCount - 1)), by: algorithm))
  }

  @Test("both values of s verify, and both are made: none is chosen for being low")
  func keepsHighS() throws {
    let key = try PrivateKey.generate(.ellipticCurve(.p256))
    let digest = [UInt8](repeating: 5, count: 32)
    let halves = try (0..<64).map { _ in try key.sign(digest: digest)[32] >= 0x80 }
    // One side alone: once in 2⁶³ runs.
    #expect(Set(halves) == [true, false])
  }

  @Test("P-256 verifies RFC 6979's signature of its sample, and P-384's and P-521's")
  func publishedSignatures() throws {
    // RFC 6979 A.2.5, A.2.6, A.2.7, with SHA-256, the message "sample".
    let cases: [(point: String, signature: String)] = [
      (
        "0460FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
          + "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299",
        "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
          + "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
      ),
      (
        "04EC3A4E415B4E19A4568618029F427FA5DA9A8BC4AE92E02E06AAE5286B300C64DEF8F0EA9055866064A254515480BC13"
          + "8015D9B72D7D57244EA8EF9AC0C621896708A59367F9DFB9F54CA84B3F1C9DB1288B231C3AE0D4FE7344FD2533264720",
        "21B13D1E013C7FA1392D03C5F99AF8B30C570C6F98D4EA8E354B63A21D3DAA33BDE1E888E63355D92FA2B3C36D8FB2CD"
          + "F3AA443FB107745BF4BD77CB3891674632068A10CA67E3D45DB2266FA7D1FEEBEFDC63ECCD1AC42EC0CB8668A4FA0AB0"
      ),
      (
        "0401894550D0785932E00EAA23B694F213F8C3121F86DC97A04E5A7167DB4E5BCD371123D46E45DB6B5D5370A7F20FB63315"
          + "5D38FFA16D2BD761DCAC474B9A2F5023A400493101C962CD4D2FDDF782285E64584139C2F91B47F87FF82354D6630F746A28"
          + "A0DB25741B5B34A828008B22ACC23F924FAAFBD4D33F81EA66956DFEAA2BFDFCF5",
        "01511BB4D675114FE266FC4372B87682BAECC01D3CC62CF2303C92B3526012659D16876E25C7C1E57648F23B73564D67F61C"
          + "6F14D527D54972810421E7D87589E1A7004A171143A83163D6DF460AAF61522695F207A58B95C0644D87E52AA1A347916E4F"
          + "7A72930B1BC06DBE22CE3F58264AFD23704CBB63B29B931F7DE6C9D949A7ECFC"
      ),
    ]
    for (point, signature) in cases {
      let key = try PublicKey(externalRepresentation: hex(point), family: .ellipticCurve)
      let algorithm = KeyAlgorithm.ecdsa(.message, .sha256, .rfc4754)
      #expect(try key.isValid(hex(signature), of: Array("sample".utf8), by: algorithm))
      #expect(try !key.isValid(hex(signature), of: Array("Sample".utf8), by: algorithm))
    }
  }

  @Test("a signature in DER is held to DER's rules")
  func strictDER() throws {
    let key = try PrivateKey.generate(.ellipticCurve(.p256))
    let digest = [UInt8](repeating: 9, count: 32)
    let algorithm = KeyAlgorithm.ecdsa(.digest, .sha256, .x962)
    let raw = try key.sign(digest: digest)
    let der = ECDSASignatureCoding.encode(raw, as: .x962)
    #expect(try key.publicKey.isValid(der, of: digest, by: algorithm))
    let (r, s) = (Array(raw[..<32]), Array(raw[32...]))
    func integer(_ bytes: [UInt8]) -> [UInt8] { [2, UInt8(bytes.count)] + bytes }
    func sequence(_ bytes: [UInt8]) -> [UInt8] { [0x30, UInt8(bytes.count)] + bytes }
    let refused: [[UInt8]] = [
      sequence(integer([0, 0] + r) + integer([0] + s)),  // zeros that need not be
      [0x30, 0x81, UInt8(der.count - 2)] + der[2...],  // a length in two bytes
      [0x30, 0x80] + der[2...] + [0, 0],  // an open end
      sequence(der[2...] + integer([1])),  // a third number
      sequence(integer([0] + r)),  // one number
      [0x31] + der[1...],  // a set
      sequence(integer([]) + integer([0] + s)),  // no number
      der.dropLast() + [],
      [0x30, 0],
      [],
    ]
    for signature in refused { #expect(try !key.publicKey.isValid(signature, of: digest, by: algorithm)) }
  }
}
