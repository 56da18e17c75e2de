import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// `kSecAttrCan…`: what they are if nothing is said, and what they refuse.
@Suite("Usages of keys", .temporaryKeychain)
struct SecKeyUsageTests {
  private static let names = ["encr", "decr", "drve", "sign", "vrfy", "wrap", "unwp"]

  private func usage(_ attributes: [String: Any]) -> [Int] {
    Self.names.map { name in (attributes[name] as? Bool).map { $0 ? 1 : 0 } ?? -1 }
  }

  @Test("Without usage attributes, a key allows all that its class supports", arguments: Keys.kinds)
  func defaults(kind: Keys.Kind) throws {
    let key = try Keys.made(kind)
    #expect(usage(Keys.attributes(key)) == [0, 1, 1, 1, 0, 0, 1])
    #expect(try usage(Keys.attributes(Keys.publicHalf(key))) == [1, 0, 1, 0, 1, 1, 0])
  }

  @Test("a key that must not is refused with errSecKeyUsageIncorrect, and is not offered")
  func refused() throws {
    let bytes = try Keys.bytes(Keys.made(.curve(256)))
    let (open, ecies) = (bytes.prefix(65), SecKeyAlgorithm.eciesEncryptionStandardX963SHA256AESGCM)
    let signing = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
    let signer = try Keys.read(bytes, kSecAttrKeyClassPrivate, [kSecAttrCanSign: false])
    expectFailure(errSecKeyUsageIncorrect) { SecKeyCreateSignature(signer, signing, letter as CFData, $0) }
    #expect(!SecKeyIsAlgorithmSupported(signer, .sign, signing))
    #expect(SecKeyIsAlgorithmSupported(signer, .decrypt, ecies))
    let verifier = try Keys.read(open, kSecAttrKeyClassPublic, [kSecAttrCanVerify: 0])
    expectFailure(errSecKeyUsageIncorrect) {
      SecKeyVerifySignature(verifier, signing, letter as CFData, letter as CFData, $0) ? true : nil
    }
    #expect(OlderKeys.calls.verify(verifier, .PKCS1, [1], [1]) == errSecKeyUsageIncorrect)
    #expect(OlderKeys.calls.sign(signer, .PKCS1, [1], room: 80).0 == errSecKeyUsageIncorrect)
    let hider = try Keys.read(open, kSecAttrKeyClassPublic, [kSecAttrCanEncrypt: false])
    expectFailure(errSecKeyUsageIncorrect) { SecKeyCreateEncryptedData(hider, ecies, letter as CFData, $0) }
    let opener = try Keys.read(bytes, kSecAttrKeyClassPrivate, [kSecAttrCanDecrypt: false])
    let text = try succeed { SecKeyCreateEncryptedData(try Keys.publicHalf(opener), ecies, letter as CFData, $0) }
    expectFailure(errSecKeyUsageIncorrect) { SecKeyCreateDecryptedData(opener, ecies, text, $0) }
    let deriver = try Keys.read(bytes, kSecAttrKeyClassPrivate, [kSecAttrCanDerive: false])
    expectFailure(errSecKeyUsageIncorrect) {
      SecKeyCopyKeyExchangeResult(deriver, .ecdhKeyExchangeStandard, deriver, [:], $0)
    }
  }

  @Test("Allowing a usage that the key's class does not support has no effect")
  func allowed() throws {
    let bytes = try Keys.bytes(Keys.made(.curve(256)))
    let open = try Keys.read(bytes.prefix(65), kSecAttrKeyClassPublic, [kSecAttrCanSign: true])
    expectFailure(errSecParam) {
      SecKeyCreateSignature(open, .ecdsaSignatureMessageX962SHA256, letter as CFData, $0)
    }
    #expect(!SecKeyIsAlgorithmSupported(open, .sign, .ecdsaSignatureMessageX962SHA256))
  }

  @Test("A stored key's usages are stored with it, and updated with it")
  func stored() throws {
    let tag = Data("usage".utf8)
    let parameters: Item = [
      kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true, kSecAttrApplicationTag: tag, kSecAttrCanSign: false] as Item
    ]
    let made = try Keys.made(.curve(256), parameters)
    let query: Item = [kSecClass: kSecClassKey, kSecAttrApplicationTag: tag]
    let found = try #require(find(query, returning: [kSecReturnRef: true]).object as? SecKey)
    #expect(found == made)
    for key in [made, found] {
      expectFailure(errSecKeyUsageIncorrect) {
        SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, letter as CFData, $0)
      }
    }
    #expect(update(query, [kSecAttrCanSign: true]) == errSecSuccess)
    let changed = try #require(find(query, returning: [kSecReturnRef: true]).object as? SecKey)
    _ = try Keys.signature(letter, by: changed)
    #expect(attributes(query)?["sign"] as? Int == 1)
  }
}
