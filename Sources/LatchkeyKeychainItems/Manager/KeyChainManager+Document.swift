import Crypto
import Synchronization

// The calls of the demo in Examples/003-keychain-manager, by its names.

extension KeyChainManager {
  /// Saves `value` under the default identifier, in the place of what was there.
  public static func SaveKeyChain(_ value: Any) throws(KeychainItemError) { try KeyChainManager().save(value) }

  /// What was saved under the default identifier; nil if nothing.
  public static func LoadKeyChain() throws(KeychainItemError) -> Any? { try KeyChainManager().load() }

  /// Saves `value` under the default identifier, encrypted, in the place of what was there.
  ///
  /// - Parameter password: what it is encrypted by; nil: the passphrase of the process.
  /// - Throws: ``KeychainItemError``: `noPassphrase` if there is neither.
  public static func SaveKeyChainWithEncrypt(_ value: Any, password: String? = nil) throws(KeychainItemError) {
    try KeyChainManager().save(value, password: try chosen(password))
  }

  /// What was saved under the default identifier, decrypted; nil if nothing.
  ///
  /// - Parameter password: what it was encrypted by; nil: the passphrase of the process.
  /// - Throws: as ``load(_:password:)``; `noPassphrase` if there is neither.
  public static func LoadKeyChainWithEncrypt(password: String? = nil) throws(KeychainItemError) -> Any? {
    try KeyChainManager().load(password: try chosen(password))
  }

  /// Sets the passphrase of the calls above that name none, for the whole process: once, when the program starts.
  ///
  /// It is the `APP_PUBLIC_PASSWORD` of `Examples/003-keychain-manager`, which is compiled into its program, where anyone can
  /// read it: take it from the user, or from a file that others cannot read. Nil takes it away; what was set before is wiped
  /// from memory.
  public static func setPassphrase(_ passphrase: String?) {
    processPassphrase.withLock { $0 = passphrase.map { SymmetricKey(data: Array($0.utf8)) } }
  }

  /// The password of a call, else the process's.
  private static func chosen(_ password: String?) throws(KeychainItemError) -> String {
    if let password { return password }
    let key = processPassphrase.withLock { $0 }
    guard let key else { throw .noPassphrase }
    return key.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}

/// A `SymmetricKey` because it wipes itself.
private let processPassphrase = Mutex<SymmetricKey?>(nil)
