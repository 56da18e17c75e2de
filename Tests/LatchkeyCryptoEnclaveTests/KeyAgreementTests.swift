import Crypto
import Foundation
import LatchkeyCryptoEnclave
import LatchkeySwiftTesting
import Testing

@Suite(.temporaryKeychain) struct KeyAgreementTests {
  @Test("Both ends derive the same keys, with HKDF and with X9.63's function")
  func agrees() throws {
    let inside = try SecureEnclave.P256.KeyAgreement.PrivateKey()
    let outside = P256.KeyAgreement.PrivateKey()
    let ours = try inside.sharedSecretFromKeyAgreement(with: outside.publicKey)
    let theirs = try outside.sharedSecretFromKeyAgreement(with: inside.publicKey)
    #expect(ours.withUnsafeBytes { Data($0) } == theirs.withUnsafeBytes { Data($0) })
    let info = Data("info".utf8)
    for count in [1, 16, 32, 33, 100] {
      #expect(
        ours.hkdfDerivedSymmetricKey(using: SHA256.self, salt: Data([1]), sharedInfo: info, outputByteCount: count)
          == theirs.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: Data([1]), sharedInfo: info, outputByteCount: count))
      #expect(
        ours.x963DerivedSymmetricKey(using: SHA512.self, sharedInfo: info, outputByteCount: count)
          == theirs.x963DerivedSymmetricKey(using: SHA512.self, sharedInfo: info, outputByteCount: count))
    }
    #expect(ours == (try inside.sharedSecretFromKeyAgreement(with: outside.publicKey)))
    #expect(ours != (try inside.sharedSecretFromKeyAgreement(with: P256.KeyAgreement.PrivateKey().publicKey)))
  }

  @Test("A key comes back from its representation")
  func comesBack() throws {
    let key = try SecureEnclave.P256.KeyAgreement.PrivateKey()
    let again = try SecureEnclave.P256.KeyAgreement.PrivateKey(dataRepresentation: key.dataRepresentation)
    let peer = P256.KeyAgreement.PrivateKey()
    #expect(
      try key.sharedSecretFromKeyAgreement(with: peer.publicKey)
        == again.sharedSecretFromKeyAgreement(with: peer.publicKey))
  }
}
