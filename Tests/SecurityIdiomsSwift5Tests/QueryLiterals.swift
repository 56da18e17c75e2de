import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// How programs write queries: each idiom adds an item and finds it again.
@Suite(.temporaryKeychain) struct QueryLiterals {
  let secret = Data("secret".utf8)

  private func secretOf(_ account: String) -> Data? {
    var result: AnyObject?
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
      kSecReturnData as String: true,
    ]
    return SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess ? result as? Data : nil
  }

  @Test func stringKeysAndAnyValues() {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrAccount as String: "string-any",
      kSecValueData as String: "secret".data(using: .utf8)!,
    ]
    #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    #expect(secretOf("string-any") == secret)
  }

  @Test func stringKeysByInitializer() {
    let query: [String: Any] = [
      String(kSecClass): String(kSecClassGenericPassword), String(kSecAttrAccount): "initializer",
      String(kSecValueData): secret,
    ]
    #expect(SecItemAdd(query as CFDictionary, nil) == noErr)
    #expect(secretOf("initializer") == secret)
  }

  @Test func coreFoundationKeys() {
    var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "cf-keys"]
    query[kSecValueData] = secret
    query[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlock
    #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    #expect(secretOf("cf-keys") == secret)
  }

  @Test func coreFoundationKeysAndObjects() {
    let query: [CFString: AnyObject] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccount: "cf-objects" as NSString, kSecValueData: secret as NSData,
      kSecAttrSynchronizable: kCFBooleanFalse,
    ]
    #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    #expect(secretOf("cf-objects") == secret)
  }

  @Test func stringKeysAndObjects() {
    let query: [String: AnyObject] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrAccount as String: "string-objects" as AnyObject,
      kSecValueData as String: secret as AnyObject,
    ]
    #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    #expect(secretOf("string-objects") == secret)
  }

  @Test func objectKeysAndObjects() {
    let query: [NSObject: AnyObject] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccount: "object-keys" as NSString, kSecValueData: secret as NSData,
    ]
    #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    #expect(secretOf("object-keys") == secret)
  }

  @Test func hashableKeys() {
    var query: [AnyHashable: Any] = [kSecClass: kSecClassGenericPassword, "acct": "hashable"]
    query[kSecValueData] = secret
    #expect(query["v_Data"] as? Data == secret)
    #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    #expect(secretOf("hashable") == secret)
  }

  @Test func hashableValues() {
    let query: [String: AnyHashable] = [
      kSecClass as String: kSecClassGenericPassword as String, kSecAttrAccount as String: "hashable-values",
      kSecValueData as String: secret,
    ]
    #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    #expect(secretOf("hashable-values") == secret)
  }

  @Test func aLiteralInTheCall() {
    let status = SecItemAdd(
      [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "literal", kSecValueData: secret] as CFDictionary, nil)
    #expect(status == errSecSuccess)
    #expect(secretOf("literal") == secret)
  }

  @Test func aMutableDictionary() {
    let query = NSMutableDictionary()
    query[kSecClass as NSString] = kSecClassGenericPassword
    query[kSecAttrAccount as String] = "mutable"
    query.setObject(secret, forKey: kSecValueData as String as NSString)
    #expect(SecItemAdd(query, nil) == errSecSuccess)
    #expect(SecItemAdd(query as CFMutableDictionary, nil) == errSecDuplicateItem)
    #expect(secretOf("mutable") == secret)
  }

  @Test func objectsAndKeysInTwoArrays() {
    let query = NSDictionary(
      objects: [kSecClassGenericPassword, "two-arrays" as NSString, secret as NSData],
      forKeys: [kSecClass, kSecAttrAccount, kSecValueData])
    #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    #expect(secretOf("two-arrays") == secret)
  }

  @Test func onePieceAfterTheOther() {
    let base: [String: Any] = [kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "merged"]
    var add = base
    add.merge([kSecValueData as String: secret]) { _, new in new }
    #expect(SecItemAdd(add as CFDictionary, nil) == errSecSuccess)
    let changes = [kSecValueData as String: Data("other".utf8)]
    #expect(SecItemUpdate(base as CFDictionary, changes as CFDictionary) == errSecSuccess)
    #expect(secretOf("merged") == Data("other".utf8))
    #expect(SecItemDelete(base as CFDictionary) == errSecSuccess)
    #expect(SecItemDelete(base as CFDictionary) == errSecItemNotFound)
  }
}
