import Foundation
import LocalAuthentication
import Security

/// Two keys of the enclave, stored in the keychain: one guarded by an application password that a context has and holds,
/// one without user presence that is used without a context.
struct OurKeys {
  private let held: SecKey
  private let stored: SecKey
  private let digest = Data((0..<32).map { UInt8($0) }) as CFData

  init() throws {
    let context = LAContext()
    guard context.setCredential(Data("a password".utf8), type: .applicationPassword) else {
      throw BenchFailure.ours("the context refuses the password")
    }
    held = try Self.key("held", [.privateKeyUsage, .applicationPassword], context)
    stored = try Self.key("stored", .privateKeyUsage, nil)
    for key in [held, stored] { try Self.check(key) }
  }

  func signWithHeldContext() throws { try Self.sign(digest, held) }
  func signWithStoredKey() throws { try Self.sign(digest, stored) }

  private static func sign(_ digest: CFData, _ key: SecKey) throws {
    var error: Unmanaged<CFError>?
    guard SecKeyCreateSignature(key, .ecdsaSignatureDigestX962SHA256, digest, &error) != nil else {
      throw BenchFailure.ours("no signature: \(String(describing: error?.takeRetainedValue()))")
    }
  }

  /// Makes a permanent key, and finds it again as a program does that was started anew.
  private static func key(
    _ tag: String, _ flags: SecAccessControlCreateFlags, _ context: LAContext?
  ) throws -> SecKey {
    var error: Unmanaged<CFError>?
    guard
      let control = SecAccessControlCreateWithFlags(
        nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags, &error)
    else { throw BenchFailure.ours("no access control") }
    var parameters: [String: Any] = [
      kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
      kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
      kSecPrivateKeyAttrs as String: [
        kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: Data(tag.utf8),
        kSecAttrAccessControl as String: control,
      ] as [String: Any],
    ]
    var query: [String: Any] = [
      kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: Data(tag.utf8),
      kSecAttrKeyClass as String: kSecAttrKeyClassPrivate, kSecReturnRef as String: true,
    ]
    if let context {
      parameters[kSecUseAuthenticationContext as String] = context
      query[kSecUseAuthenticationContext as String] = context
    }
    guard SecKeyCreateRandomKey(parameters as CFDictionary, &error) != nil else {
      throw BenchFailure.ours("no key: \(String(describing: error?.takeRetainedValue()))")
    }
    var found: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &found)
    guard status == errSecSuccess, let key = found as? SecKey else {
      throw BenchFailure.ours("the key is not found: \(status)")
    }
    return key
  }

  private static func check(_ key: SecKey) throws {
    let digest = Data(repeating: 7, count: 32) as CFData
    guard let signature = SecKeyCreateSignature(key, .ecdsaSignatureDigestX962SHA256, digest, nil),
      let publicKey = SecKeyCopyPublicKey(key),
      SecKeyVerifySignature(publicKey, .ecdsaSignatureDigestX962SHA256, digest, signature, nil)
    else { throw BenchFailure.ours("a signature that does not verify") }
  }
}
