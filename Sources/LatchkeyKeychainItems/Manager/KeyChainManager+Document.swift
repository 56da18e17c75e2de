import Crypto
import Synchronization

// The calls of the demo in Examples/003-keychain-manager, with its names.

extension KeyChainManager {
  /// Saves `value` under the default identifier, replacing the former value.
  public static func SaveKeyChain(_ value: Any) throws(KeychainItemError) { try KeyChainManager().save(value) }

  /// Returns the value under the default identifier; nil if there is none.
  public static func LoadKeyChain() throws(KeychainItemError) -> Any? { try KeyChainManager().load() }

  /// Saves `value` encrypted under the default identifier, replacing the former value.
  ///
  /// - Parameter password: the password for encryption; nil: the passphrase of the process.
  /// - Throws: ``KeychainItemError``: `noPassphrase` if there is neither.
  public static func SaveKeyChainWithEncrypt(_ value: Any, password: String? = nil) throws(KeychainItemError) {
    try KeyChainManager().save(value, password: try chosen(password))
  }

  /// Returns the decrypted value under the default identifier; nil if there is none.
  ///
  /// - Parameter password: the password of its encryption; nil: the passphrase of the process.
  /// - Throws: as ``load(_:password:)``; `noPassphrase` if there is neither.
  public static func LoadKeyChainWithEncrypt(password: String? = nil) throws(KeychainItemError) -> Any? {
    try KeyChainManager().load(password: try chosen(password))
  }

  /// Sets the process's passphrase for the calls above without a password. Call it once, when the program starts.
  ///
  /// It replaces the `APP_PUBLIC_PASSWORD` of `Examples/003-keychain-manager`, which is compiled into its program, where anyone
  /// can read it. Get it from the user, or from a file that others cannot read. Nil removes it; the former one is wiped from
  /// memory.
  public static func setPassphrase(_ passphrase: String?) {
    processPassphrase.withLock { $0 = passphrase.map { SymmetricKey(data: Array($0.utf8)) } }
  }

  /// Returns the password of a call, else the process's.
  private static func chosen(_ password: String?) throws(KeychainItemError) -> String {
    if let password { return password }
    let key = processPassphrase.withLock { $0 }
    guard let key else { throw .noPassphrase }
    return key.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}

/// A `SymmetricKey`, because that wipes itself.
private let processPassphrase = Mutex<SymmetricKey?>(nil)
