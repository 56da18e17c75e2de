// Written as programs write it.
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Security

/// What the document's program does. Some of its calls are deprecated by Apple, and here: it is used through a protocol, so
/// that the tests need not be.
protocol Document004Program: Sendable {
  func parameters() throws -> [CFString: Any]
  func makePair() throws -> (publicKey: SecKey, privateKey: SecKey)
  func publicKeyInPEM(_ publicKey: SecKey) throws -> String
  func sign(_ digest: Data, with privateKey: SecKey) throws -> Data
  func privateKey(named label: String) throws -> SecKey
}

func KeychainTouchID() -> any Document004Program { TouchIDProgram() }

/// A call that did not succeed.
struct TouchIDFailure: Error, Equatable {
  let status: OSStatus
}

private struct TouchIDProgram: Document004Program {
  // 访问控制链表, 密钥参数
  @available(*, deprecated)
  func parameters() throws -> [CFString: Any] {
    var error: Unmanaged<CFError>?
    let sacObject = SecAccessControlCreateWithFlags(
      kCFAllocatorDefault, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, [.touchIDAny, .privateKeyUsage], &error)
    guard let sacObject else { throw error!.takeRetainedValue() as Error }

    return [
      kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,  // 私钥存入SE
      kSecAttrKeyType: kSecAttrKeyTypeEC,  // 如果要使用SE，这里只能指定kSecAttrKeyTypeEC
      kSecAttrKeySizeInBits: 256,
      kSecPrivateKeyAttrs: [
        kSecAttrAccessControl: sacObject,
        kSecAttrIsPermanent: true,
        kSecAttrLabel: "my-se-key",  // 密钥名
      ] as [CFString: Any],
    ]
  }

  // 产生公私钥对
  @available(*, deprecated)
  func makePair() throws -> (publicKey: SecKey, privateKey: SecKey) {
    var publicKey: SecKey?
    var privateKey: SecKey?
    let status = SecKeyGeneratePair(try parameters() as CFDictionary, &publicKey, &privateKey)
    guard status == errSecSuccess else { throw TouchIDFailure(status: status) }
    return (publicKey!, privateKey!)
  }

  // 将公钥保存下来, 转成PEM格式
  func publicKeyInPEM(_ publicKey: SecKey) throws -> String {
    let pubDict: [CFString: Any] = [
      kSecClass: kSecClassKey,
      kSecAttrKeyType: kSecAttrKeyTypeEC,
      kSecAttrLabel: "",
      kSecAttrIsPermanent: true,
      kSecValueRef: publicKey,
      kSecAttrKeyClass: kSecAttrKeyClassPublic,
      kSecReturnData: true,
    ]
    var dataRef: CFTypeRef?
    let status = SecItemAdd(pubDict as CFDictionary, &dataRef)
    guard status == errSecSuccess else { throw TouchIDFailure(status: status) }
    let data = dataRef as! Data

    // SubjectPublicKeyInfo of a point on P-256 (RFC 5480 2).
    let header: [UInt8] = [
      0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
      0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]
    let base64 = (Data(header) + data).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN PUBLIC KEY-----\n\(base64)\n-----END PUBLIC KEY-----\n"
  }

  @available(*, deprecated)
  func sign(_ digest: Data, with privateKey: SecKey) throws -> Data {
    var signature = [UInt8](repeating: 0, count: 128)
    var signatureLength = signature.count
    let status = SecKeyRawSign(
      privateKey, .PKCS1, [UInt8](digest), digest.count, &signature, &signatureLength)
    guard status == errSecSuccess else { throw TouchIDFailure(status: status) }
    return Data(signature.prefix(signatureLength))
  }

  func privateKey(named label: String) throws -> SecKey {
    let query: [CFString: Any] = [
      kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: label, kSecReturnRef: true,
    ]
    var item: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &item)
    guard status == errSecSuccess else { throw TouchIDFailure(status: status) }
    return item as! SecKey
  }
}
