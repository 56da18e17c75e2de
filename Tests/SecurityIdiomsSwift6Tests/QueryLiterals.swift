import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// How programs in Swift 6 mode write queries: each idiom adds an item and finds it again.
@Suite(.temporaryKeychain) struct QueryLiterals {
  let secret = Data("secret".utf8)

  private func secretOf(_ service: String) -> Data? {
    var result: CFTypeRef?
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecReturnData: kCFBooleanTrue as Any,
      kSecMatchLimit: kSecMatchLimitOne,
    ]
    return SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess ? result as? Data : nil
  }

  @Test func coreFoundationKeysAndAnyValues() {
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword,
      kSecAttrService: "cf-any",
      kSecAttrAccount: "me",
      kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
      kSecUseDataProtectionKeychain: kCFBooleanTrue!,
      kSecValueData: secret,
    ]
    #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    #expect(secretOf("cf-any") == secret)
  }

  @Test func stringKeysAndAnyValues() {
    var query = [String: Any]()
    query[kSecClass as String] = kSecClassGenericPassword
    query[kSecAttrService as String] = "string-any"
    query[kSecValueData as String] = secret
    query[kSecAttrIsInvisible as String] = kCFBooleanTrue
    #expect(SecItemAdd(query as NSDictionary, nil) == errSecSuccess)
    #expect(secretOf("string-any") == secret)
  }

  @Test func sendableValues() {
    let query: [String: any Sendable] = [
      kSecClass as String: kSecClassGenericPassword as String, kSecAttrService as String: "sendable",
      kSecValueData as String: secret, kSecAttrSynchronizable as String: false,
    ]
    #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    #expect(secretOf("sendable") == secret)
  }

  @Test func aLiteralWithoutAType() {
    let query =
      [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "untyped", kSecAttrAccount: NSUserName(),
        kSecValueData: secret as CFData, kSecAttrLabel: "label" as CFString,
      ] as CFDictionary
    #expect(SecItemAdd(query, nil) == errSecSuccess)
    #expect(secretOf("untyped") == secret)
  }

  @Test func aLiteralOfObjects() {
    let query: NSDictionary = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: "nsdictionary", kSecValueData: secret,
    ]
    #expect(SecItemAdd(query, nil) == errSecSuccess)
    #expect(secretOf("nsdictionary") == secret)
  }

  @Test func objectKeys() {
    let query: [NSString: AnyObject] = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: "ns-keys" as CFString, kSecValueData: secret as CFData,
    ]
    #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    #expect(secretOf("ns-keys") == secret)
  }

  @Test func hashableKeysAndSpreadValues() {
    let base: [AnyHashable: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "hashable"]
    let query = base.merging([kSecValueData as String: secret]) { _, new in new }
    #expect(query.count == 3)
    #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    #expect(secretOf("hashable") == secret)
  }

  @Test func nilsAreLeftOut() {
    let group: String? = nil
    let parts: [(CFString, Any?)] = [
      (kSecClass, kSecClassGenericPassword), (kSecAttrService, "compact"), (kSecAttrAccessGroup, group),
      (kSecValueData, secret),
    ]
    let query = Dictionary(uniqueKeysWithValues: parts.compactMap { key, value in value.map { (key, $0) } })
    #expect(query.count == 3)
    #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    #expect(secretOf("compact") == secret)
  }

  @Test func keysMappedToStrings() {
    let query = [kSecClass: kSecClassGenericPassword as Any, kSecAttrService: "mapped", kSecValueData: secret]
    let mapped = Dictionary(uniqueKeysWithValues: query.map { (String($0.key), $0.value) })
    #expect(SecItemAdd(mapped as CFDictionary, nil) == errSecSuccess)
    #expect(secretOf("mapped") == secret)
  }

  @Test func aMutableCopy() throws {
    let query: NSDictionary = [kSecClass: kSecClassGenericPassword, kSecAttrService: "mutable-copy"]
    let add = try #require(query.mutableCopy() as? NSMutableDictionary)
    add[kSecValueData] = secret
    #expect(SecItemAdd(add, nil) == errSecSuccess)
    #expect(SecItemUpdate(query, [kSecValueData: Data()] as CFDictionary) == errSecSuccess)
    #expect(secretOf("mutable-copy") == Data())
  }
}
