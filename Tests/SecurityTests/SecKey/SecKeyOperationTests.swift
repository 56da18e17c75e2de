import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Signing, verifying, encrypting, agreeing.
@Suite("Using keys", .temporaryKeychain)
struct SecKeyOperationTests {
  /// All of Apple's algorithms that a key supports for an operation.
  private static let signatures: [SecKeyAlgorithm] = [
    .ecdsaSignatureMessageX962SHA1, .ecdsaSignatureMessageX962SHA224, .ecdsaSignatureMessageX962SHA256,
    .ecdsaSignatureMessageX962SHA384, .ecdsaSignatureMessageX962SHA512, .ecdsaSignatureMessageRFC4754SHA1,
    .ecdsaSignatureMessageRFC4754SHA224, .ecdsaSignatureMessageRFC4754SHA256, .ecdsaSignatureMessageRFC4754SHA384,
    .ecdsaSignatureMessageRFC4754SHA512, .ecdsaSignatureDigestX962, .ecdsaSignatureDigestRFC4754,
    .ecdsaSignatureRFC4754, .rsaSignatureMessagePKCS1v15SHA1, .rsaSignatureMessagePKCS1v15SHA224,
    .rsaSignatureMessagePKCS1v15SHA256, .rsaSignatureMessagePKCS1v15SHA384, .rsaSignatureMessagePKCS1v15SHA512,
    .rsaSignatureMessagePSSSHA1, .rsaSignatureMessagePSSSHA224, .rsaSignatureMessagePSSSHA256,
    .rsaSignatureMessagePSSSHA384, .rsaSignatureMessagePSSSHA512,
  ]

  @Test("The public half verifies a private key's signature, and refuses altered input", arguments: Keys.kinds)
  func signatures(kind: Keys.Kind) throws {
    let key = try Keys.made(kind)
    let (half, other) = (try Keys.publicHalf(key), try Keys.publicHalf(Keys.made(.curve(256))))
    var tried = 0
    for algorithm in Self.signatures where SecKeyIsAlgorithmSupported(key, .sign, algorithm) {
      tried += 1
      let signature = try Keys.signature(letter, by: key, algorithm)
      #expect(Keys.isValid(signature, of: letter, by: half, algorithm), "\(algorithm.rawValue)")
      for odd in [signature.dropLast(), signature + [0], Data(), Data(count: signature.count)] {
        let (result, error) = attempt {
          SecKeyVerifySignature(half, algorithm, letter as CFData, odd as CFData, $0) ? true : nil
        }
        #expect(result == nil && error?.code == Int(errSecVerifyFailed), "\(algorithm.rawValue)")
      }
      var flipped = signature
      flipped[flipped.count - 1] ^= 1
      #expect(!Keys.isValid(flipped, of: letter, by: half, algorithm))
      #expect(!Keys.isValid(signature, of: otherLetter, by: half, algorithm))
      #expect(!Keys.isValid(signature, of: letter, by: other, algorithm))
    }
    #expect(tried >= 8)
  }

  @Test("a digest of a wrong length is refused, and so is an algorithm of another family", arguments: Keys.kinds)
  func wrongInput(kind: Keys.Kind) throws {
    let key = try Keys.made(kind)
    let half = try Keys.publicHalf(key)
    let isCurve = kind != .rsa(2048)
    let digests: [SecKeyAlgorithm] =
      isCurve
      ? [.ecdsaSignatureDigestX962SHA256, .ecdsaSignatureDigestRFC4754SHA384, .ecdsaSignatureDigestX962SHA1]
      : [.rsaSignatureDigestPKCS1v15SHA256, .rsaSignatureDigestPSSSHA512, .rsaSignatureDigestPKCS1v15SHA1]
    for algorithm in digests {
      for length in [0, 1, 19, 31, 33, 47, 63, 65, 1000] {
        let digest = Data(count: length) as CFData
        expectFailure(errSecParam, "\(algorithm.rawValue) \(length)") {
          SecKeyCreateSignature(key, algorithm, digest, $0)
        }
        let (result, error) = attempt {
          SecKeyVerifySignature(half, algorithm, digest, letter as CFData, $0) ? true : nil
        }
        #expect(result == nil && error?.code == Int(errSecParam), "\(algorithm.rawValue) \(length)")
      }
    }
    let foreign: [SecKeyAlgorithm] =
      isCurve
      ? [.rsaSignatureMessagePSSSHA256, .rsaSignatureRaw, .ecdhKeyExchangeStandard, .rsaEncryptionOAEPSHA256]
      : [.ecdsaSignatureMessageX962SHA256, .ecdsaSignatureRFC4754, .eciesEncryptionStandardX963SHA256AESGCM]
    for algorithm in foreign {
      expectFailure(errSecParam) { SecKeyCreateSignature(key, algorithm, letter as CFData, $0) }
      #expect(!SecKeyIsAlgorithmSupported(key, .sign, algorithm))
    }
  }

  @Test("a public key does not sign, decrypt or agree; a private one does not verify or encrypt", arguments: Keys.kinds)
  func wrongHalf(kind: Keys.Kind) throws {
    let key = try Keys.made(kind)
    let half = try Keys.publicHalf(key)
    let isCurve = kind != .rsa(2048)
    let signing: SecKeyAlgorithm = isCurve ? .ecdsaSignatureMessageX962SHA256 : .rsaSignatureMessagePSSSHA256
    let hiding: SecKeyAlgorithm =
      isCurve ? .eciesEncryptionCofactorVariableIVX963SHA256AESGCM : .rsaEncryptionOAEPSHA256
    let signature = try Keys.signature(letter, by: key, signing)
    expectFailure(errSecParam) { SecKeyCreateSignature(half, signing, letter as CFData, $0) }
    expectFailure(errSecParam) {
      SecKeyVerifySignature(key, signing, letter as CFData, signature as CFData, $0) ? true : nil
    }
    expectFailure(errSecParam) { SecKeyCreateEncryptedData(key, hiding, letter as CFData, $0) }
    expectFailure(errSecParam) { SecKeyCreateDecryptedData(half, hiding, letter as CFData, $0) }
    expectFailure(errSecParam) { SecKeyCopyKeyExchangeResult(half, .ecdhKeyExchangeStandard, half, [:], $0) }
    for operation in [SecKeyOperationType.verify, .encrypt] {
      #expect(
        !SecKeyIsAlgorithmSupported(key, operation, signing) && !SecKeyIsAlgorithmSupported(key, operation, hiding))
    }
    for operation in [SecKeyOperationType.sign, .decrypt, .keyExchange] {
      #expect(
        !SecKeyIsAlgorithmSupported(half, operation, signing) && !SecKeyIsAlgorithmSupported(half, operation, hiding))
    }
  }

  @Test("A ciphertext opens with its key alone, and not if it is altered", arguments: Keys.kinds)
  func encryption(kind: Keys.Kind) throws {
    let key = try Keys.made(kind)
    let half = try Keys.publicHalf(key)
    let algorithms: [SecKeyAlgorithm] = [
      .eciesEncryptionStandardX963SHA256AESGCM, .eciesEncryptionCofactorX963SHA512AESGCM,
      .eciesEncryptionStandardVariableIVX963SHA224AESGCM, .eciesEncryptionCofactorVariableIVX963SHA384AESGCM,
      .rsaEncryptionPKCS1, .rsaEncryptionOAEPSHA1, .rsaEncryptionOAEPSHA256, .rsaEncryptionOAEPSHA256AESGCM,
    ]
    var tried = 0
    for algorithm in algorithms where SecKeyIsAlgorithmSupported(half, .encrypt, algorithm) {
      tried += 1
      #expect(SecKeyIsAlgorithmSupported(key, .decrypt, algorithm))
      let text = try succeed { SecKeyCreateEncryptedData(half, algorithm, letter as CFData, $0) } as Data
      let back = try succeed { SecKeyCreateDecryptedData(key, algorithm, text as CFData, $0) } as Data
      #expect(back == letter, "\(algorithm.rawValue)")
      if case .curve(let bits) = kind { #expect(text.count == 1 + 2 * ((bits + 7) / 8) + letter.count + 16) }
      // PKCS #1's padding alone detects no change: decryption may return other bytes.
      if algorithm != .rsaEncryptionPKCS1 {
        var odd = text
        odd[odd.count - 1] ^= 1
        expectFailure(errSecParam) { SecKeyCreateDecryptedData(key, algorithm, odd as CFData, $0) }
      }
      for odd in [Data(), Data([4]), text.dropLast(), text.prefix(40)] where algorithm != .rsaEncryptionPKCS1 {
        expectFailure(errSecParam) { SecKeyCreateDecryptedData(key, algorithm, odd as CFData, $0) }
      }
    }
    #expect(tried == 4)
  }

  @Test("two keys agree, with a derivation and without; parameters that make no sense are refused")
  func agreement() throws {
    let (a, b) = (try Keys.made(.curve(256)), try Keys.made(.curve(256)))
    func exchange(_ key: SecKey, _ other: SecKey, _ algorithm: SecKeyAlgorithm, _ parameters: [AnyHashable: Any]) throws
      -> Data
    {
      try succeed {
        SecKeyCopyKeyExchangeResult(key, algorithm, try Keys.publicHalf(other), parameters as NSDictionary, $0)
      } as Data
    }
    let x = try exchange(a, b, .ecdhKeyExchangeStandard, [:])
    #expect(try x.count == 32 && x == exchange(b, a, .ecdhKeyExchangeCofactor, [:]))
    // A private key has a public half: it stands for it.
    let withPrivate = try succeed { SecKeyCopyKeyExchangeResult(a, .ecdhKeyExchangeStandard, b, [:], $0) } as Data
    #expect(withPrivate == x)
    let derived = try exchange(
      a, b, .ecdhKeyExchangeStandardX963SHA256,
      [SecKeyKeyExchangeParameter.requestedSize.rawValue as String: 48, "sharedInfo": Data("info".utf8)])
    // X9.63 5.6.3, by hand: SHA-256(x ‖ counter ‖ info).
    #expect(derived.count == 48)
    #expect(
      try derived
        == exchange(
          b, a, .ecdhKeyExchangeCofactorX963SHA256,
          [
            SecKeyKeyExchangeParameter.requestedSize: 48, SecKeyKeyExchangeParameter.sharedInfo: Data("info".utf8),
          ]))
    // The longest that the page promises, and what lies between it and the shared info's own limit.
    for size in [65_537, 1_048_576] {
      let long = try exchange(a, b, .ecdhKeyExchangeStandardX963SHA256, ["requestedSize": size])
      #expect(long.count == size)
    }
    let odd: [[AnyHashable: Any]] = [
      [:], ["requestedSize": "32"], ["requestedSize": 0], ["requestedSize": -1], ["requestedSize": 1.5],
      ["requestedSize": Int.max], ["requestedSize": 1_048_577], ["requestedSize": 32, "sharedInfo": "info"],
      ["requestedSize": 32, "sharedInfo": 7], ["requestedSize": true],
    ]
    for parameters in odd {
      expectFailure(errSecParam, "\(parameters)") {
        SecKeyCopyKeyExchangeResult(a, .ecdhKeyExchangeStandardX963SHA512, b, parameters as NSDictionary, $0)
      }
    }
    for other in [try Keys.made(.curve(384)), try Keys.made(.rsa(2048))] {
      expectFailure(errSecParam) { SecKeyCopyKeyExchangeResult(a, .ecdhKeyExchangeStandard, other, [:], $0) }
    }
    expectFailure(errSecParam) { SecKeyCopyKeyExchangeResult(a, .ecdsaSignatureDigestX962, b, [:], $0) }
  }

  @Test("an error's place may be left out, and is not touched by a call that succeeds")
  func errorPlaces() throws {
    let key = try Keys.made(.curve(256))
    #expect(SecKeyCreateSignature(key, .rsaSignatureRaw, letter as CFData, nil) == nil)
    var place: Unmanaged<CFError>?
    #expect(SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, letter as CFData, &place) != nil)
    #expect(place == nil)
    #expect(SecKeyCreateSignature(key, .rsaSignatureRaw, letter as CFData, &place) == nil)
    let error = try #require(place).takeRetainedValue() as any Error
    #expect((error as NSError).domain == NSOSStatusErrorDomain)
    #expect(CFErrorGetCode(error as NSError) == Int(errSecParam))
  }
}
