import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import LatchkeyKeychainTesting
import Security
import Testing

/// A keychain with scripted biometry, and keys of its enclave.
struct GuardedKeychain {
  let keychain: TemporaryKeychain
  let finger: ScriptedAuthenticator
  let user: ScriptedPrompter

  init(passcode: String? = "correct horse", _ verdicts: [ScriptedAuthenticator.Verdict] = []) throws {
    finger = ScriptedAuthenticator(verdicts)
    user = ScriptedPrompter(otherwise: .types("correct horse"))
    keychain = try TemporaryKeychain(passcode: passcode, biometry: [finger], prompter: user)
  }

  /// The value of `kSecUseAuthenticationContext`: a session of the keychain's presence.
  func context() throws -> Context { Context(try #require(keychain.database.presence).makeSession()) }

  /// An `LAContext` as the calls see one.
  final class Context: PresenceSessionHolder {
    let session: any PresenceSession
    init(_ session: any PresenceSession) { self.session = session }
    func presenceSession() throws(StoreError) -> any PresenceSession { session }
  }
}

/// Keys of the enclave for tests.
enum EnclaveKeys {
  static let tag = Data("enclave".utf8)
  static var query: Item { [kSecClass: kSecClassKey, kSecAttrApplicationTag: tag] }

  static func control(
    _ flags: SecAccessControlCreateFlags,
    _ protection: CFString = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
  ) throws -> SecAccessControl {
    try succeed { SecAccessControlCreateWithFlags(nil, protection, flags, $0) }
  }

  /// Parameters of a key that is stored, with a tag.
  static func parameters(
    _ flags: SecAccessControlCreateFlags? = nil, _ more: Item = [:], isPermanent: Bool = true
  ) throws -> CFDictionary {
    var half: Item = [kSecAttrIsPermanent: isPermanent, kSecAttrApplicationTag: tag]
    if let flags { half[kSecAttrAccessControl] = try control(flags) }
    return [
      kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
      kSecAttrKeySizeInBits: 256, kSecPrivateKeyAttrs: half,
    ].merging(more) { $1 } as CFDictionary
  }

  static func made(
    _ flags: SecAccessControlCreateFlags? = nil, _ more: Item = [:], isPermanent: Bool = true
  ) throws -> SecKey {
    try succeed { SecKeyCreateRandomKey(try parameters(flags, more, isPermanent: isPermanent), $0) }
  }

  /// The stored key, found with `more` in the query.
  static func found(_ more: Item = [:]) -> SecKey? {
    find(query.merging(more) { $1 }, returning: [kSecReturnRef: true]).object as? SecKey
  }
}
