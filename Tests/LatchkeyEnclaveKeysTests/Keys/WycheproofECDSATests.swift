import Foundation
import LatchkeyEnclaveKeys
import Testing

@Suite("Wycheproof: ECDSA")
struct WycheproofECDSATests {
  @Test(
    "every case is verified or refused as it should be",
    arguments: [
      ("ecdsa_secp256r1_sha256", SignatureFormat.x962), ("ecdsa_secp256r1_sha512", .x962),
      ("ecdsa_secp384r1_sha384", .x962), ("ecdsa_secp521r1_sha512", .x962),
      ("ecdsa_secp256r1_sha256_p1363", .rfc4754), ("ecdsa_secp384r1_sha384_p1363", .rfc4754),
      ("ecdsa_secp521r1_sha512_p1363", .rfc4754),
    ])
  func verifies(name: String, format: SignatureFormat) throws {
    for (group, test) in try Wycheproof(name).all {
      let key = try PublicKey(externalRepresentation: [UInt8](#require(group.key)), family: .ellipticCurve)
      let digest = try DigestAlgorithm(wycheproof: group.sha)
      let (message, signature) = try ([UInt8](#require(test.msg)), [UInt8](#require(test.sig)))
      // No case of these files is merely acceptable.
      try #require(test.result != .acceptable)
      let isValid = test.result == .valid
      let byMessage = try key.isValid(signature, of: message, by: .ecdsa(.message, digest, format))
      #expect(byMessage == isValid, "\(name) \(test.id)")
      let byDigest = try key.isValid(
        signature, of: digest.hash(message), by: .ecdsa(.digest, digest, format))
      #expect(byDigest == isValid, "\(name) \(test.id)")
      let byAnyDigest = try key.isValid(signature, of: digest.hash(message), by: .ecdsa(.digest, nil, format))
      #expect(byAnyDigest == isValid, "\(name) \(test.id)")
    }
  }
}
