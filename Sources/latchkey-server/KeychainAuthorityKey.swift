import Foundation
import LatchkeyCertificateAuthority
import LatchkeyCommandLine
import Security

/// An authority's key in the keychain, by its label: it may lie in the enclave, which signs and never gives it away.
///
/// A server has no user who could be asked, so a key that asks is refused when it is found, not when the first device
/// wants a certificate.
struct KeychainAuthorityKey: AuthorityKey {
  private let key: SecKey
  /// X9.63 of the P-256 public key, 65 bytes.
  let publicKey: [UInt8]

  /// The one private key with this label.
  ///
  /// - Throws: `.misuse` where there is none, where there are several, or where it is not on P-256; `.keyUnavailable`
  ///   where the keychain does not say, or the key does not sign.
  init(label: String) throws(AuthorityError) {
    let query: [CFString: Any] = [
      kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: label, kSecReturnRef: true,
      kSecMatchLimit: kSecMatchLimitAll, kSecUseAuthenticationUI: kSecUseAuthenticationUIFail,
    ]
    var found: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &found)
    guard status != errSecItemNotFound else {
      throw .misuse(
        """
        no private key \(label.debugDescription) in the keychain; make it: latchkey enclave create \(label.shellQuoted) \
        --accessible after-first-unlock-this-device-only
        """)
    }
    guard status != errSecInteractionNotAllowed else { throw .keyUnavailable(Self.asksItsUser) }
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
    do {
      _ = try sign(Array("Does this key sign without anybody?".utf8))
    } catch .keyUnavailable(let reason) where reason != Self.asksItsUser {
      throw .keyUnavailable("\(reason); \(Self.ifGone)")
    }
  }

  /// ECDSA with SHA-256; X9.62 DER. Waits for the keychain.
  func sign(_ message: [UInt8]) throws(AuthorityError) -> [UInt8] {
    var error: Unmanaged<CFError>?
    guard
      let signature = SecKeyCreateSignature(
        key, .ecdsaSignatureMessageX962SHA256, Data(message) as CFData, &error) as Data?
    else {
      let error = error?.takeRetainedValue()
      guard error?.code != Int(errSecInteractionNotAllowed) else {
        throw .keyUnavailable(Self.asksItsUser)
      }
      throw .keyUnavailable(error?.localizedDescription ?? "the keychain gave no reason")
    }
    return Array(signature)
  }

  private static let asksItsUser = """
    it asks for its user, or the keychain is locked; a server's key has no guard, and LATCHKEY_PASSCODE_FILE unlocks \
    its keychain
    """

  private static let ifGone = """
    an authority whose key is gone for good is replaced: latchkey-server ca create makes the next one's certificate, and \
    --also-trust lets the devices of the one before in
    """

  private static func text(of status: OSStatus) -> String {
    (SecCopyErrorMessageString(status, nil) as String?) ?? "OSStatus \(status)"
  }
}
