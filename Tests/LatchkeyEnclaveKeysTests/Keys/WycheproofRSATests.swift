import Foundation
import LatchkeyEnclaveKeys
import Testing

@Suite("Wycheproof: RSA")
struct WycheproofRSATests {
  @Test(
    "every signature is verified or refused as it should be",
    arguments: [
      "rsa_signature_2048_sha224", "rsa_signature_2048_sha256", "rsa_signature_2048_sha512",
      "rsa_pss_2048_sha1_mgf1_20", "rsa_pss_2048_sha256_mgf1_32", "rsa_pss_2048_sha384_mgf1_48",
    ])
  func signatures(name: String) throws {
    for (group, test) in try Wycheproof(name).all {
      let key = try PublicKey(fileContents: [UInt8](#require(group.key)))
      let digest = try DigestAlgorithm(wycheproof: group.sha)
      let (message, signature) = try ([UInt8](#require(test.msg)), [UInt8](#require(test.sig)))
      func algorithm(_ input: SignatureInput) -> KeyAlgorithm {
        name.hasPrefix("rsa_pss") ? .rsaPSS(input, digest) : .rsaPKCS1v15(input, digest)
      }
      let byMessage = try key.isValid(signature, of: message, by: algorithm(.message))
      let byDigest = try key.isValid(signature, of: digest.hash(message), by: algorithm(.digest))
      #expect(byMessage == byDigest)
      // Acceptable is a DigestInfo without NULL (RFC 8017 9.2, note 1 has it): it is refused.
      if test.result == .acceptable { #expect(test.flags?.contains("MissingNull") == true, "\(name) \(test.id)") }
      #expect(byMessage == (test.result == .valid), "\(name) \(test.id)")
    }
  }

  @Test(
    "every ciphertext is decrypted or refused as it should be",
    arguments: [
      "rsa_oaep_2048_sha1_mgf1sha1", "rsa_oaep_2048_sha224_mgf1sha224", "rsa_oaep_2048_sha256_mgf1sha256",
      "rsa_oaep_2048_sha384_mgf1sha384", "rsa_oaep_2048_sha512_mgf1sha512", "rsa_pkcs1_2048",
    ])
  func ciphertexts(name: String) throws {
    for (group, test) in try Wycheproof(name).all {
      // The API has no labels: a ciphertext with one does not open.
      let isReadable = test.result == .valid && test.label == nil
      let key = try PrivateKey(derRepresentation: [UInt8](#require(group.key)))
      let algorithm: KeyAlgorithm =
        name == "rsa_pkcs1_2048" ? .rsaEncryptionPKCS1 : .rsaOAEP(try DigestAlgorithm(wycheproof: group.sha))
      let ciphertext = [UInt8](try #require(test.ct))
      if isReadable {
        #expect(try key.decrypt(ciphertext, by: algorithm) == [UInt8](#require(test.msg)), "\(name) \(test.id)")
      } else {
        #expect(throws: KeyError.decryptionFailed, "\(name) \(test.id)") { try key.decrypt(ciphertext, by: algorithm) }
      }
    }
  }
}
