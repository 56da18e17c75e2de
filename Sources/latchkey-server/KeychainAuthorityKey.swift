import CertificateAuthority
import Foundation
import Security

/// An authority's key in the keychain, by its label: it may lie in the enclave, which signs and never gives it away. A key that asks
/// whether its user is there is not for a server.
struct KeychainAuthorityKey: AuthorityKey {
  private let key: SecKey
  /// X9.63 of the P-256 public key, 65 bytes.
  let publicKey: [UInt8]

  /// The one private key with this label.
  ///
  /// - Throws: `.misuse` where there is none, where there are several, or where it is not on P-256; `.keyUnavailable` where the keychain
  ///   does not say.
  init(label: String) throws(AuthorityError) {
    let query: [CFString: Any] = [
      kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: label, kSecReturnRef: true,
      kSecMatchLimit: kSecMatchLimitAll,
    ]
    var found: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &found)
    guard status != errSecItemNotFound else {
      throw .misuse("no private key \(label.debugDescription) in the keychain; make it: latchkey enclave create")
    }
    guard status == errSecSuccess else { throw .keyUnavailable(Self.text(of: status)) }
    guard let keys = found as? [SecKey], let key = keys.first, keys.count == 1 else {
      throw .misuse(
        "several private keys \(label.debugDescription) in the keychain; give the authority's its own label")
    }
    guard let half = SecKeyCopyPublicKey(key), let point = SecKeyCopyExternalRepresentation(half, nil) as Data?,
      point.count == 65, SecKeyIsAlgorithmSupported(key, .sign, .ecdsaSignatureMessageX962SHA256)
    else { throw .misuse("the key \(label.debugDescription) is not one of P-256 that signs") }
    self.key = key
    publicKey = Array(point)
  }

  /// ECDSA with SHA-256; X9.62 DER. Waits for the keychain.
  func sign(_ message: [UInt8]) throws(AuthorityError) -> [UInt8] {
    var error: Unmanaged<CFError>?
    guard
      let signature = SecKeyCreateSignature(
        key, .ecdsaSignatureMessageX962SHA256, Data(message) as CFData, &error) as Data?
    else {
      throw .keyUnavailable(error?.takeRetainedValue().localizedDescription ?? "the keychain gave no reason")
    }
    return Array(signature)
  }

  private static func text(of status: OSStatus) -> String {
    (SecCopyErrorMessageString(status, nil) as String?) ?? "OSStatus \(status)"
  }
}
