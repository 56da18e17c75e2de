import Foundation
import Security
import Testing

/// Every algorithm of SecKey.h, with the value that SecKeyAdaptors.m of Security-61901 gives it.
private let algorithms: [(SecKeyAlgorithm, String)] = [
  (.rsaSignatureRaw, "algid:sign:RSA:raw"),
  (.rsaSignatureDigestPKCS1v15Raw, "algid:sign:RSA:digest-PKCS1v15"),
  (.rsaSignatureDigestPKCS1v15SHA1, "algid:sign:RSA:digest-PKCS1v15:SHA1"),
  (.rsaSignatureDigestPKCS1v15SHA224, "algid:sign:RSA:digest-PKCS1v15:SHA224"),
  (.rsaSignatureDigestPKCS1v15SHA256, "algid:sign:RSA:digest-PKCS1v15:SHA256"),
  (.rsaSignatureDigestPKCS1v15SHA384, "algid:sign:RSA:digest-PKCS1v15:SHA384"),
  (.rsaSignatureDigestPKCS1v15SHA512, "algid:sign:RSA:digest-PKCS1v15:SHA512"),
  (.rsaSignatureMessagePKCS1v15SHA1, "algid:sign:RSA:message-PKCS1v15:SHA1"),
  (.rsaSignatureMessagePKCS1v15SHA224, "algid:sign:RSA:message-PKCS1v15:SHA224"),
  (.rsaSignatureMessagePKCS1v15SHA256, "algid:sign:RSA:message-PKCS1v15:SHA256"),
  (.rsaSignatureMessagePKCS1v15SHA384, "algid:sign:RSA:message-PKCS1v15:SHA384"),
  (.rsaSignatureMessagePKCS1v15SHA512, "algid:sign:RSA:message-PKCS1v15:SHA512"),
  (.rsaSignatureDigestPSSSHA1, "algid:sign:RSA:digest-PSS:SHA1:SHA1:20"),
  (.rsaSignatureDigestPSSSHA224, "algid:sign:RSA:digest-PSS:SHA224:SHA224:24"),
  (.rsaSignatureDigestPSSSHA256, "algid:sign:RSA:digest-PSS:SHA256:SHA256:32"),
  (.rsaSignatureDigestPSSSHA384, "algid:sign:RSA:digest-PSS:SHA384:SHA384:48"),
  (.rsaSignatureDigestPSSSHA512, "algid:sign:RSA:digest-PSS:SHA512:SHA512:64"),
  (.rsaSignatureMessagePSSSHA1, "algid:sign:RSA:message-PSS:SHA1:SHA1:20"),
  (.rsaSignatureMessagePSSSHA224, "algid:sign:RSA:message-PSS:SHA224:SHA224:24"),
  (.rsaSignatureMessagePSSSHA256, "algid:sign:RSA:message-PSS:SHA256:SHA256:32"),
  (.rsaSignatureMessagePSSSHA384, "algid:sign:RSA:message-PSS:SHA384:SHA384:48"),
  (.rsaSignatureMessagePSSSHA512, "algid:sign:RSA:message-PSS:SHA512:SHA512:64"),
  (.ecdsaSignatureDigestX962, "algid:sign:ECDSA:digest-X962"),
  (.ecdsaSignatureDigestX962SHA1, "algid:sign:ECDSA:digest-X962:SHA1"),
  (.ecdsaSignatureDigestX962SHA224, "algid:sign:ECDSA:digest-X962:SHA224"),
  (.ecdsaSignatureDigestX962SHA256, "algid:sign:ECDSA:digest-X962:SHA256"),
  (.ecdsaSignatureDigestX962SHA384, "algid:sign:ECDSA:digest-X962:SHA384"),
  (.ecdsaSignatureDigestX962SHA512, "algid:sign:ECDSA:digest-X962:SHA512"),
  (.ecdsaSignatureMessageX962SHA1, "algid:sign:ECDSA:message-X962:SHA1"),
  (.ecdsaSignatureMessageX962SHA224, "algid:sign:ECDSA:message-X962:SHA224"),
  (.ecdsaSignatureMessageX962SHA256, "algid:sign:ECDSA:message-X962:SHA256"),
  (.ecdsaSignatureMessageX962SHA384, "algid:sign:ECDSA:message-X962:SHA384"),
  (.ecdsaSignatureMessageX962SHA512, "algid:sign:ECDSA:message-X962:SHA512"),
  (.ecdsaSignatureDigestRFC4754, "algid:sign:ECDSA:digest-RFC4754"),
  (.ecdsaSignatureDigestRFC4754SHA1, "algid:sign:ECDSA:digest-RFC4754:SHA1"),
  (.ecdsaSignatureDigestRFC4754SHA224, "algid:sign:ECDSA:digest-RFC4754:SHA224"),
  (.ecdsaSignatureDigestRFC4754SHA256, "algid:sign:ECDSA:digest-RFC4754:SHA256"),
  (.ecdsaSignatureDigestRFC4754SHA384, "algid:sign:ECDSA:digest-RFC4754:SHA384"),
  (.ecdsaSignatureDigestRFC4754SHA512, "algid:sign:ECDSA:digest-RFC4754:SHA512"),
  (.ecdsaSignatureMessageRFC4754SHA1, "algid:sign:ECDSA:message-RFC4754:SHA1"),
  (.ecdsaSignatureMessageRFC4754SHA224, "algid:sign:ECDSA:message-RFC4754:SHA224"),
  (.ecdsaSignatureMessageRFC4754SHA256, "algid:sign:ECDSA:message-RFC4754:SHA256"),
  (.ecdsaSignatureMessageRFC4754SHA384, "algid:sign:ECDSA:message-RFC4754:SHA384"),
  (.ecdsaSignatureMessageRFC4754SHA512, "algid:sign:ECDSA:message-RFC4754:SHA512"),
  (.ecdsaSignatureRFC4754, "algid:sign:ECDSA:RFC4754"),
  (.rsaEncryptionRaw, "algid:encrypt:RSA:raw"),
  (.rsaEncryptionPKCS1, "algid:encrypt:RSA:PKCS1"),
  (.rsaEncryptionOAEPSHA1, "algid:encrypt:RSA:OAEP:SHA1"),
  (.rsaEncryptionOAEPSHA224, "algid:encrypt:RSA:OAEP:SHA224"),
  (.rsaEncryptionOAEPSHA256, "algid:encrypt:RSA:OAEP:SHA256"),
  (.rsaEncryptionOAEPSHA384, "algid:encrypt:RSA:OAEP:SHA384"),
  (.rsaEncryptionOAEPSHA512, "algid:encrypt:RSA:OAEP:SHA512"),
  (.rsaEncryptionOAEPSHA1AESGCM, "algid:encrypt:RSA:OAEP:SHA1:AESGCM"),
  (.rsaEncryptionOAEPSHA224AESGCM, "algid:encrypt:RSA:OAEP:SHA224:AESGCM"),
  (.rsaEncryptionOAEPSHA256AESGCM, "algid:encrypt:RSA:OAEP:SHA256:AESGCM"),
  (.rsaEncryptionOAEPSHA384AESGCM, "algid:encrypt:RSA:OAEP:SHA384:AESGCM"),
  (.rsaEncryptionOAEPSHA512AESGCM, "algid:encrypt:RSA:OAEP:SHA512:AESGCM"),
  (.eciesEncryptionStandardX963SHA1AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM"),
  (.eciesEncryptionStandardX963SHA224AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM"),
  (.eciesEncryptionStandardX963SHA256AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM"),
  (.eciesEncryptionStandardX963SHA384AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM"),
  (.eciesEncryptionStandardX963SHA512AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM"),
  (.eciesEncryptionCofactorX963SHA1AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM"),
  (.eciesEncryptionCofactorX963SHA224AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM"),
  (.eciesEncryptionCofactorX963SHA256AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM"),
  (.eciesEncryptionCofactorX963SHA384AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM"),
  (.eciesEncryptionCofactorX963SHA512AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM"),
  (.eciesEncryptionStandardVariableIVX963SHA224AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV"),
  (.eciesEncryptionStandardVariableIVX963SHA256AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV"),
  (.eciesEncryptionStandardVariableIVX963SHA384AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV"),
  (.eciesEncryptionStandardVariableIVX963SHA512AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV"),
  (.eciesEncryptionCofactorVariableIVX963SHA224AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV"),
  (.eciesEncryptionCofactorVariableIVX963SHA256AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV"),
  (.eciesEncryptionCofactorVariableIVX963SHA384AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV"),
  (.eciesEncryptionCofactorVariableIVX963SHA512AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV"),
  (.ecdhKeyExchangeStandard, "algid:keyexchange:ECDH"),
  (.ecdhKeyExchangeStandardX963SHA1, "algid:keyexchange:ECDH:KDFX963:SHA1"),
  (.ecdhKeyExchangeStandardX963SHA224, "algid:keyexchange:ECDH:KDFX963:SHA224"),
  (.ecdhKeyExchangeStandardX963SHA256, "algid:keyexchange:ECDH:KDFX963:SHA256"),
  (.ecdhKeyExchangeStandardX963SHA384, "algid:keyexchange:ECDH:KDFX963:SHA384"),
  (.ecdhKeyExchangeStandardX963SHA512, "algid:keyexchange:ECDH:KDFX963:SHA512"),
  (.ecdhKeyExchangeCofactor, "algid:keyexchange:ECDHC"),
  (.ecdhKeyExchangeCofactorX963SHA1, "algid:keyexchange:ECDHC:KDFX963:SHA1"),
  (.ecdhKeyExchangeCofactorX963SHA224, "algid:keyexchange:ECDHC:KDFX963:SHA224"),
  (.ecdhKeyExchangeCofactorX963SHA256, "algid:keyexchange:ECDHC:KDFX963:SHA256"),
  (.ecdhKeyExchangeCofactorX963SHA384, "algid:keyexchange:ECDHC:KDFX963:SHA384"),
  (.ecdhKeyExchangeCofactorX963SHA512, "algid:keyexchange:ECDHC:KDFX963:SHA512"),
]

@Suite("Constants of keys")
struct SecKeyConstantsTests {
  @Test("each algorithm has Apple's name, and there are 87")
  func algorithmNames() {
    for (algorithm, name) in algorithms {
      #expect(algorithm.rawValue as String == name)
      #expect(SecKeyAlgorithm(rawValue: name as CFString) == algorithm)
      #expect(SecKeyAlgorithm(name as CFString).hashValue == algorithm.hashValue)
    }
    #expect(algorithms.count == 87)
    #expect(Set(algorithms.map(\.0)).count == 87)
    #expect(Set(algorithms.map(\.1)).count == 87)
  }

  @Test("a name found again is the algorithm itself: a key supports it alike")
  func namesWork() throws {
    let key = try Keys.made(.curve(256))
    for (algorithm, name) in algorithms {
      for operation in Keys.operations {
        #expect(
          SecKeyIsAlgorithmSupported(key, operation, SecKeyAlgorithm(rawValue: name as CFString))
            == SecKeyIsAlgorithmSupported(key, operation, algorithm))
      }
    }
  }

  @Test("no key supports a name that is none of Apple's")
  func unknownNames() throws {
    let key = try Keys.made(.curve(256))
    for name in [
      "", "x", "algid:sign:ECDSA:message-X962:SHA3", "algid:kem:ML-KEM", "algid:sign:RSA:digest-PKCS1v15:MD5",
      "algid:sign:EdDSA:message-Curve25519:SHA512", "ALGID:SIGN:ECDSA:MESSAGE-X962:SHA256",
    ] {
      let algorithm = SecKeyAlgorithm(rawValue: name as CFString)
      for operation in Keys.operations { #expect(!SecKeyIsAlgorithmSupported(key, operation, algorithm)) }
      let (signature, error) = attempt { SecKeyCreateSignature(key, algorithm, letter as CFData, $0) }
      #expect(signature == nil)
      #expect(error?.code == Int(errSecParam))
    }
  }

  @Test("parameters, operations and paddings have Apple's values")
  func others() {
    #expect(SecKeyKeyExchangeParameter.requestedSize.rawValue as String == "requestedSize")
    #expect(SecKeyKeyExchangeParameter.sharedInfo.rawValue as String == "sharedInfo")
    #expect(SecKeyKeyExchangeParameter(rawValue: "sharedInfo") == .sharedInfo)
    #expect(Keys.operations.map(\.rawValue) == [0, 1, 2, 3, 4])
    #expect(SecKeyOperationType(rawValue: 5) == nil)
    let paddings: [(SecPadding, UInt32)] = [
      ([], 0), (.PKCS1, 1), (.OAEP, 2), (.sigRaw, 0x4000), (.PKCS1MD2, 0x8000), (.PKCS1MD5, 0x8001),
      (.PKCS1SHA1, 0x8002), (.PKCS1SHA224, 0x8003), (.PKCS1SHA256, 0x8004), (.PKCS1SHA384, 0x8005),
      (.PKCS1SHA512, 0x8006),
    ]
    for (padding, number) in paddings { #expect(padding.rawValue == number) }
    #expect(errSSLCrypto == -9809)
  }
}
