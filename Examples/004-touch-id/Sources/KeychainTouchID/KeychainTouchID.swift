// Written as programs write it.
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Security

/// What the document's program does. Some of its calls are deprecated by Apple, and here: it is used through a protocol, so
/// that its users need not be.
public protocol KeychainTouchID: Sendable {
  /// The key's parameters: in the enclave, on P-256, behind Touch ID.
  func parameters() throws -> [CFString: Any]
  /// Makes the key, whose name is my-se-key.
  func makePair() throws -> (publicKey: SecKey, privateKey: SecKey)
  /// Adds the public key to the keychain, which gives its bytes, and writes it as PEM.
  func publicKeyInPEM(_ publicKey: SecKey) throws -> String
  /// Signs a digest of SHA-256, once the user's finger was seen: ECDSA in DER.
  func sign(_ digest: Data, with privateKey: SecKey) throws -> Data
  /// The key of this name, as after a new start of the program.
  func privateKey(named label: String) throws -> SecKey
}

/// The document's program.
public func keychainTouchID() -> any KeychainTouchID { TouchIDProgram() }

/// A call that did not succeed.
public struct TouchIDFailure: Error, Equatable, CustomStringConvertible {
  /// What it answered.
  public let status: OSStatus

  /// A call that answered so.
  public init(status: OSStatus) { self.status = status }

  /// What the status means.
  public var text: String { SecCopyErrorMessageString(status, nil) as String? ?? "no text" }

  /// The status and what it means.
  public var description: String { "\(status): \(text)" }
}

private struct TouchIDProgram: KeychainTouchID {
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
