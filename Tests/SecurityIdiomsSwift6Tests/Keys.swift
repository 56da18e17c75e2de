// Written as programs write it.
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// A manager of pairs, as apps have them.
private struct KeyManager: Sendable {
  let tag: String

  enum Failure: Error, Equatable {
    case noKey(OSStatus)
    case unsupported
  }

  func make(inEnclave: Bool = false) throws -> SecKey {
    var error: Unmanaged<CFError>?
    var attributes: [String: Any] = [
      kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
      kSecAttrKeySizeInBits as String: 256,
      kSecPrivateKeyAttrs as String: [
        kSecAttrIsPermanent as String: true,
        kSecAttrApplicationTag as String: tag.data(using: .utf8)!,
      ],
    ]
    if inEnclave {
      let access = SecAccessControlCreateWithFlags(
        kCFAllocatorDefault, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .privateKeyUsage, nil)!
      attributes[kSecAttrTokenID as String] = kSecAttrTokenIDSecureEnclave
      attributes[kSecPrivateKeyAttrs as String] = [
        kSecAttrIsPermanent as String: true,
        kSecAttrApplicationTag as String: Data(tag.utf8),
        kSecAttrAccessControl as String: access,
      ]
    }
    guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
      throw error!.takeRetainedValue() as Error
    }
    return key
  }

  func load() throws -> SecKey {
    let query: [String: Any] = [
      kSecClass as String: kSecClassKey,
      kSecAttrApplicationTag as String: Data(tag.utf8),
      kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
      kSecReturnRef as String: true,
    ]
    var item: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &item)
    guard status == errSecSuccess else { throw Failure.noKey(status) }
    return item as! SecKey
  }

  func sign(_ data: Data) throws -> Data {
    let key = try load()
    let algorithm: SecKeyAlgorithm = .ecdsaSignatureMessageX962SHA256
    guard SecKeyIsAlgorithmSupported(key, .sign, algorithm) else { throw Failure.unsupported }
    var error: Unmanaged<CFError>?
    guard let signature = SecKeyCreateSignature(key, algorithm, data as CFData, &error) as Data? else {
      throw error!.takeRetainedValue() as Error
    }
    return signature
  }

  func publicKeyData() throws -> Data {
    guard let publicKey = SecKeyCopyPublicKey(try load()) else { throw Failure.unsupported }
    var error: Unmanaged<CFError>?
    guard let data = SecKeyCopyExternalRepresentation(publicKey, &error) as Data? else {
      throw error!.takeRetainedValue() as Error
    }
    return data
  }

  @discardableResult
  func delete() -> Bool {
    let query: [String: Any] = [kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: Data(tag.utf8)]
    return SecItemDelete(query as CFDictionary) == errSecSuccess
  }
}

@Suite(.temporaryKeychain) struct Keys {
  @Test(arguments: [false, true]) func aManagerOfPairs(inEnclave: Bool) throws {
    let manager = KeyManager(tag: "com.example.keys.mykey")
    #expect(throws: KeyManager.Failure.noKey(errSecItemNotFound)) { try manager.sign(Data()) }
    let made = try manager.make(inEnclave: inEnclave)
    #expect(try manager.load() == made)
    let signature = try manager.sign(Data("message".utf8))
    let attributes: [String: Any] = [
      kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeyClass as String: kSecAttrKeyClassPublic,
      kSecAttrKeySizeInBits as String: 256,
    ]
    let publicKey = try #require(
      SecKeyCreateWithData(try manager.publicKeyData() as CFData, attributes as CFDictionary, nil))
    var error: Unmanaged<CFError>?
    #expect(
      SecKeyVerifySignature(
        publicKey, .ecdsaSignatureMessageX962SHA256, Data("message".utf8) as CFData, signature as CFData, &error))
    #expect(error == nil)
    #expect(manager.delete() && !manager.delete())
  }

  @Test func anErrorOfAKeyIsCaught() {
    let manager = KeyManager(tag: "caught")
    do {
      _ = try manager.make()
      _ = try manager.make()
      let parameters: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 7]
      var error: Unmanaged<CFError>?
      guard SecKeyCreateRandomKey(parameters as CFDictionary, &error) == nil else { return }
      throw error!.takeRetainedValue() as Error
    } catch let error as NSError where error.domain == NSOSStatusErrorDomain {
      #expect(OSStatus(error.code) == errSecParam)
    } catch {
      Issue.record(error)
    }
  }

  @Test func sharedSecretsAndEncryption() throws {
    let parameters: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 384]
    let mine = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
    let theirs = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
    let exchange: [String: Any] = [
      SecKeyKeyExchangeParameter.requestedSize.rawValue as String: 32,
      SecKeyKeyExchangeParameter.sharedInfo.rawValue as String: Data("info".utf8),
    ]
    let secrets = try zip([mine, theirs], [theirs, mine]).map { own, other in
      SecKeyCopyKeyExchangeResult(
        own, .ecdhKeyExchangeCofactorX963SHA256, try #require(SecKeyCopyPublicKey(other)), exchange as CFDictionary,
        nil) as Data?
    }
    #expect(secrets[0]?.count == 32 && secrets[0] == secrets[1])
    let algorithm = SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA256AESGCM
    let publicKey = try #require(SecKeyCopyPublicKey(mine))
    let text = try #require(SecKeyCreateEncryptedData(publicKey, algorithm, Data("text".utf8) as CFData, nil))
    #expect(SecKeyCreateDecryptedData(mine, algorithm, text, nil) as Data? == Data("text".utf8))
  }

  @Test func keysCrossTasks() async throws {
    let key = try KeyManager(tag: "tasks").make(inEnclave: true)
    let algorithms: [SecKeyAlgorithm] = [.ecdsaSignatureDigestX962SHA256, .ecdsaSignatureDigestRFC4754SHA256]
    let counts = await withTaskGroup(of: Int?.self) { group in
      for algorithm in algorithms {
        group.addTask { SecKeyCreateSignature(key, algorithm, Data(count: 32) as CFData, nil)?.length }
      }
      return await group.reduce(into: [Int?]()) { $0.append($1) }
    }
    #expect(counts.allSatisfy { (64...72).contains($0 ?? 0) })
  }

  @Test func keysAreDistinguishedByTheirType() throws {
    let key: Any = try KeyManager(tag: "type").make()
    let object = key as CFTypeRef
    #expect(CFGetTypeID(object) == SecKeyGetTypeID())
    let attributes = SecKeyCopyAttributes(key as! SecKey) as? [CFString: Any]
    #expect(attributes?[kSecAttrKeyType] as? String == kSecAttrKeyTypeECSECPrimeRandom as String)
    #expect(attributes?[kSecAttrCanSign] as? Bool == true)
    #expect(attributes?[kSecAttrKeySizeInBits] as? Int == 256)
  }
}
