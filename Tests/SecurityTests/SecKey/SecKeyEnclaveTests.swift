import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Keys of the enclave that show no prompt.
@Suite("Keys of the enclave", .temporaryKeychain)
struct SecKeyEnclaveTests {
  @Test("a key is made, stored, found, signs, and its public half verifies")
  func lifecycle() throws {
    let made = try EnclaveKeys.made()
    let found = try #require(EnclaveKeys.found())
    #expect(made == found && made.hashValue == found.hashValue)
    let half = try Keys.publicHalf(made)
    #expect(try Keys.bytes(half).count == 65 && Keys.bytes(half).first == 4)
    #expect(SecKeyGetBlockSize(made) == 32)
    for key in [made, found] {
      let signature = try Keys.signature(letter, by: key)
      #expect(signature.first == 0x30 && Keys.isValid(signature, of: letter, by: half))
      #expect(!Keys.isValid(signature, of: otherLetter, by: half))
      let raw = try Keys.signature(letter, by: key, .ecdsaSignatureMessageRFC4754SHA512)
      #expect(raw.count == 64 && Keys.isValid(raw, of: letter, by: half, .ecdsaSignatureMessageRFC4754SHA512))
    }
    #expect(delete(EnclaveKeys.query) == errSecSuccess)
    #expect(EnclaveKeys.found() == nil)
    expectFailure(errSecItemNotFound, "a deleted key is gone, for those who hold it, too") {
      SecKeyCreateSignature(made, .ecdsaSignatureMessageX962SHA256, letter as CFData, $0)
    }
  }

  @Test("The attributes describe the key; the key is stored unless it is made as not permanent")
  func attributes_() throws {
    let key = try EnclaveKeys.made()
    let own = Keys.attributes(key)
    #expect(own["tkid"] as? String == "com.apple.setoken" && own["kcls"] as? String == "1")
    #expect(own["type"] as? String == "73" && own["bsiz"] as? Int == 256 && own["class"] as? String == "keys")
    #expect(own["extr"] as? Bool == false && own["sens"] as? Bool == true && own["v_Data"] == nil)
    let control = try EnclaveKeys.control(.privateKeyUsage)
    #expect(own["accc"] as? SecAccessControl == control)
    let stored = try #require(attributes(EnclaveKeys.query))
    #expect(stored["tkid"] as? String == "com.apple.setoken" && stored["accc"] as? SecAccessControl == control)
    #expect(stored["pdmn"] as? String == "aku" && stored["klbl"] as? Data == own["klbl"] as? Data)
    #expect(delete([kSecValueRef: key]) == errSecSuccess)
    _ = try EnclaveKeys.made(isPermanent: false)
    #expect(count([kSecClass: kSecClassKey]) == 0)
    let plain: Item = [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave]
    let unsaid = try Keys.made(.curve(256), plain)
    #expect(count([kSecClass: kSecClassKey]) == 1, "the private key of a token is stored if nothing is said")
    #expect(count([kSecValueRef: unsaid]) == 1)
  }

  @Test("the token may be named among the private key's attributes; the public half is an item of its own")
  func publicHalf() throws {
    let parameters: Item = [
      kSecPrivateKeyAttrs: [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave] as Item,
      kSecPublicKeyAttrs: [kSecAttrIsPermanent: true, kSecAttrLabel: "open"] as Item,
    ]
    let key = try Keys.made(.curve(256), parameters)
    expectFailure(errSecUnimplemented) { SecKeyCopyExternalRepresentation(key, $0) }
    let open: Item = [kSecClass: kSecClassKey, kSecAttrLabel: "open"]
    #expect(secret(open) == (try Keys.bytes(Keys.publicHalf(key))))
    #expect(attributes(open)?["tkid"] == nil)
    #expect(count([kSecClass: kSecClassKey]) == 2)
  }

  @Test("other kinds of keys, and places where keys of the enclave cannot be, are refused")
  func refused() throws {
    let token: Item = [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave]
    for kind in [Keys.Kind.curve(384), .curve(521), .rsa(2048)] {
      expectFailure(errSecUnimplemented) {
        SecKeyCreateRandomKey(kind.parameters.merging(token) { $1 } as CFDictionary, $0)
      }
    }
    for size in [0, 1, 255] as [Any] {
      let odd = token.merging([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: size]) { $1 }
      let (key, error) = attempt { SecKeyCreateRandomKey(odd as CFDictionary, $0) }
      #expect(key == nil && [Int(errSecParam), Int(errSecUnimplemented)].contains(error?.code))
    }
    let moving = [kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAfterFirstUnlock, kSecAttrAccessibleAlways]
    for protection in moving {
      let control = try EnclaveKeys.control(.privateKeyUsage, protection)
      for more in [[kSecAttrAccessControl: control], [kSecAttrAccessible: protection]] as [Item] {
        let odd = Keys.Kind.curve(256).parameters.merging(token) { $1 }.merging(more) { $1 }
        expectFailure(errSecParam, "\(protection)") { SecKeyCreateRandomKey(odd as CFDictionary, $0) }
      }
    }
    expectFailure(errSecParam) {
      SecKeyCreateRandomKey(try! EnclaveKeys.parameters(nil, [kSecAttrSynchronizable: true]), $0)
    }
    #expect(count([kSecClass: kSecClassKey, kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == 0)
  }

  @Test("nothing is brought to the enclave: not as data, not as attributes, not by an update")
  func nothingIsBrought() throws {
    let bytes = try Keys.bytes(Keys.made(.curve(256)))
    let token: Item = [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
    for more in [[kSecValueData: bytes], [kSecValueData: Data("EN1".utf8)], [:]] as [Item] {
      let item = EnclaveKeys.query.merging(token) { $1 }.merging(more) { $1 }
      #expect(add(item).status == errSecParam)
      #expect(add(item, returning: [kSecReturnRef: true]).status == errSecParam)
    }
    #expect(count([kSecClass: kSecClassKey]) == 0)
    let key = try EnclaveKeys.made()
    #expect(update([kSecValueRef: key], [kSecValueData: bytes]) == errSecParam)
    #expect(EnclaveKeys.found() == key)
    let other = try Keys.made(.curve(256), [kSecAttrIsPermanent: true])
    #expect(update([kSecValueRef: other], [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave]) != errSecSuccess)
    #expect(find([kSecValueRef: other], returning: [kSecReturnRef: true]).object as? SecKey == other)
  }

  @Test("a key that is not stored is stored by its reference, once")
  func addedLater() throws {
    let key = try EnclaveKeys.made(isPermanent: false)
    _ = try Keys.signature(letter, by: key)
    let item: Item = [kSecValueRef: key, kSecAttrApplicationTag: EnclaveKeys.tag]
    let added = add(item, returning: [kSecReturnRef: true, kSecReturnData: true])
    #expect(added.dictionary?["v_Ref"] as? SecKey == key && added.dictionary?["v_Data"] == nil)
    #expect(add(item).status == errSecDuplicateItem)
    for more in [
      [kSecAttrAccessible: kSecAttrAccessibleAlways], [kSecAttrSynchronizable: true],
      [kSecAttrAccessControl: try EnclaveKeys.control([])], [kSecValueData: letter],
    ] as [Item] {
      let odd: Item = [kSecValueRef: key, kSecAttrApplicationTag: Data([9])]
      #expect(add(odd.merging(more) { $1 }).status == errSecParam, "\(more)")
    }
    #expect(EnclaveKeys.found() == key)
  }

  @Test("Without privateKeyUsage its use is refused; with privateKeyUsage alone no prompt is shown")
  func usage() throws {
    let key = try EnclaveKeys.made([])
    let half = try Keys.publicHalf(key)
    expectFailure(errSecKeyUsageIncorrect) {
      SecKeyCreateSignature(key, .ecdsaSignatureDigestX962SHA256, Data(count: 32) as CFData, $0)
    }
    expectFailure(errSecKeyUsageIncorrect) { SecKeyCopyKeyExchangeResult(key, .ecdhKeyExchangeStandard, half, [:], $0) }
    let text = try succeed {
      SecKeyCreateEncryptedData(half, .eciesEncryptionStandardX963SHA256AESGCM, letter as CFData, $0)
    }
    expectFailure(errSecKeyUsageIncorrect) {
      SecKeyCreateDecryptedData(key, .eciesEncryptionStandardX963SHA256AESGCM, text, $0)
    }
    let used = try EnclaveKeys.made(.privateKeyUsage, [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail])
    _ = try Keys.signature(letter, by: used)
    let unwilling = try EnclaveKeys.made(.privateKeyUsage, [kSecAttrCanSign: false, kSecAttrApplicationTag: Data([3])])
    expectFailure(errSecKeyUsageIncorrect) {
      SecKeyCreateSignature(unwilling, .ecdsaSignatureDigestX962SHA256, Data(count: 32) as CFData, $0)
    }
  }

  @Test("it agrees and decrypts as a key in the open does")
  func otherOperations() throws {
    let (key, other) = (try EnclaveKeys.made(), try Keys.made(.curve(256)))
    let half = try Keys.publicHalf(key)
    let parameters = ["requestedSize": 20, "sharedInfo": letter] as NSDictionary
    for algorithm in [SecKeyAlgorithm.ecdhKeyExchangeStandard, .ecdhKeyExchangeCofactorX963SHA224] {
      let mine = try succeed { SecKeyCopyKeyExchangeResult(key, algorithm, try Keys.publicHalf(other), parameters, $0) }
      let theirs = try succeed { SecKeyCopyKeyExchangeResult(other, algorithm, half, parameters, $0) }
      #expect(mine == theirs)
    }
    let ecies = SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA256AESGCM
    let text = try succeed { SecKeyCreateEncryptedData(half, ecies, letter as CFData, $0) } as Data
    #expect(try succeed { SecKeyCreateDecryptedData(key, ecies, text as CFData, $0) } as Data == letter)
    var odd = text
    odd[70] ^= 1
    expectFailure(errSecParam) { SecKeyCreateDecryptedData(key, ecies, odd as CFData, $0) }
    let curve = try Keys.publicHalf(Keys.made(.curve(384)))
    expectFailure(errSecParam) { SecKeyCopyKeyExchangeResult(key, .ecdhKeyExchangeStandard, curve, [:], $0) }
  }

  @Test("It supports ECDSA to sign, ECIES to decrypt, ECDH, and nothing else")
  func supported() throws {
    let key = try EnclaveKeys.made()
    #expect(SecKeyIsAlgorithmSupported(key, .sign, .ecdsaSignatureMessageX962SHA256))
    #expect(SecKeyIsAlgorithmSupported(key, .decrypt, .eciesEncryptionStandardX963SHA1AESGCM))
    #expect(SecKeyIsAlgorithmSupported(key, .keyExchange, .ecdhKeyExchangeCofactor))
    #expect(!SecKeyIsAlgorithmSupported(key, .verify, .ecdsaSignatureMessageX962SHA256))
    #expect(!SecKeyIsAlgorithmSupported(key, .encrypt, .eciesEncryptionStandardX963SHA1AESGCM))
    #expect(!SecKeyIsAlgorithmSupported(key, .sign, .rsaSignatureMessagePSSSHA256))
    #expect(!SecKeyIsAlgorithmSupported(key, .decrypt, .rsaEncryptionOAEPSHA256))
    let half = try Keys.publicHalf(key)
    #expect(!SecKeyIsInvalidated(key) && !SecKeyIsInvalidated(half))
  }

  @Test("64 tasks sign at once, and all end")
  func manyTasks() async throws {
    let keys = [try EnclaveKeys.made(isPermanent: false), try EnclaveKeys.made()]
    let half = try keys.map(Keys.publicHalf)
    let valid = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<64 {
        group.addTask {
          let message = Data("message \(number)".utf8)
          let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
          guard let signature = SecKeyCreateSignature(keys[number % 2], algorithm, message as CFData, nil) else {
            return false
          }
          return SecKeyVerifySignature(half[number % 2], algorithm, message as CFData, signature, nil)
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(valid == 64)
  }

  @Test("a locked keychain signs with no key that needs it unlocked", .temporaryKeychain(passcode: "correct horse"))
  func locked() throws {
    let key = try EnclaveKeys.made()
    let always = try EnclaveKeys.made(
      nil,
      [
        kSecPrivateKeyAttrs: [
          kSecAttrAccessControl: try EnclaveKeys.control(
            .privateKeyUsage, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly), kSecAttrApplicationTag: Data([2]),
        ] as Item
      ])
    Keychain.lock()
    expectFailure(errSecInteractionNotAllowed) {
      SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, letter as CFData, $0)
    }
    _ = try Keys.signature(letter, by: always)
    try Keychain.unlock()
    _ = try Keys.signature(letter, by: key)
  }
}
