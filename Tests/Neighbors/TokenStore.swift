// beside Latchkey: compiles
// As in clients of sign-in services: tokens in the keychain where there is one, in memory where there is none.
import Foundation

#if canImport(Security)
  import Security
#endif

final class TokenStore {
  private let service: String
  private var tokens: [String: Data] = [:]

  init(service: String) { self.service = service }

  subscript(account: String) -> Data? {
    get {
      #if canImport(Security)
        var query = item(account)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
        return found as? Data
      #else
        return tokens[account]
      #endif
    }
    set {
      #if canImport(Security)
        SecItemDelete(item(account) as CFDictionary)
        guard let newValue else { return }
        var query = item(account)
        query[kSecValueData as String] = newValue
        query[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlock
        SecItemAdd(query as CFDictionary, nil)
      #else
        tokens[account] = newValue
      #endif
    }
  }

  #if canImport(Security)
    private func item(_ account: String) -> [String: Any] {
      [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        kSecAttrAccount as String: account,
      ]
    }
  #endif
}
