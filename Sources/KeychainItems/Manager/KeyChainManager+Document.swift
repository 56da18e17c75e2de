// The calls of the document's demo, by its names.

extension KeyChainManager {
  /// Saves `value` under the default identifier, in the place of what was there.
  public static func SaveKeyChain(_ value: Any) throws(KeychainItemError) { try KeyChainManager().save(value) }

  /// What was saved under the default identifier; nil if nothing.
  public static func LoadKeyChain() throws(KeychainItemError) -> Any? { try KeyChainManager().load() }

  /// Saves `value` under the default identifier, encrypted by `password`, in the place of what was there.
  public static func SaveKeyChainWithEncrypt(_ value: Any, password: String) throws(KeychainItemError) {
    try KeyChainManager().save(value, password: password)
  }

  /// What was saved under the default identifier, decrypted by `password`; nil if nothing.
  public static func LoadKeyChainWithEncrypt(password: String) throws(KeychainItemError) -> Any? {
    try KeyChainManager().load(password: password)
  }
}
