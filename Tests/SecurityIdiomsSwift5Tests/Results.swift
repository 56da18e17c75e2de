import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// How programs receive results: out-parameters and casts.
@Suite(.temporaryKeychain) struct Results {
  let secret = Data("secret".utf8)

  init() {
    for account in ["first", "second"] {
      let status = SecItemAdd(
        [
          kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "results",
          kSecAttrAccount as String: account, kSecValueData as String: secret,
        ] as [String: Any] as CFDictionary, nil)
      #expect(status == errSecSuccess)
    }
  }

  private var query: [String: Any] {
    [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "results"]
  }

  @Test func typeRefOut() throws {
    var item: CFTypeRef?
    let status = SecItemCopyMatching(
      query.merging([kSecReturnData as String: kCFBooleanTrue as Any]) { $1 } as CFDictionary, &item)
    guard status == errSecSuccess, let data = item as? Data, let text = String(data: data, encoding: .utf8) else {
      throw KeychainFailure(status: status)
    }
    #expect(text == "secret")
  }

  @Test func anyObjectOutThroughAPointer() {
    var query = self.query
    query[kSecReturnData as String] = kCFBooleanTrue!
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    var result: AnyObject?
    let status = withUnsafeMutablePointer(to: &result) {
      SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
    }
    #expect(status == noErr)
    #expect((result as! Data) == secret)
    #expect((result as? NSData)?.length == 6)
  }

  @Test func attributesOfOne() throws {
    var query = self.query
    query[kSecReturnAttributes as String] = true
    query[kSecReturnData as String] = true
    query[kSecAttrAccount as String] = "second"
    var item: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    let existing = try #require(item as? [String: Any])
    #expect(existing[kSecAttrAccount as String] as? String == "second")
    #expect(existing[kSecValueData as String] as? Data == secret)
    #expect(existing[kSecAttrModificationDate as String] is Date)
    #expect(existing[kSecAttrSynchronizable as String] as? Bool == false)
    let byHand = item as! NSDictionary
    #expect(byHand[kSecAttrService] as! String == "results")
    #expect((item as? [AnyHashable: Any])?[kSecAttrAccount] as? String == "second")
    #expect((item as? [CFString: Any])?[kSecAttrAccount] as? String == "second")
  }

  @Test func attributesOfAll() {
    var query = self.query
    query[kSecReturnAttributes as String] = kCFBooleanTrue
    query[kSecMatchLimit as String] = kSecMatchLimitAll
    var items: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &items) == errSecSuccess)
    let accounts = (items as? [[String: Any]])?.compactMap { $0[kSecAttrAccount as String] as? String }
    #expect(Set(accounts ?? []) == ["first", "second"])
    #expect((items as! NSArray).count == 2)
    #expect((items as? [NSDictionary])?.count == 2)
    #expect((items as! CFArray as? [[AnyHashable: Any]])?.count == 2)
  }

  @Test func dataOfAll() {
    var query = self.query
    query[kSecReturnData as String] = true
    query[kSecMatchLimit as String] = 2
    var items: AnyObject?
    #expect(SecItemCopyMatching(query as CFDictionary, &items) == errSecSuccess)
    #expect(items as? [Data] == [secret, secret])
  }

  @Test func onlyWhetherItIsThere() {
    #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecSuccess)
    var none = query
    none[kSecAttrAccount as String] = "nobody"
    var result: CFTypeRef?
    #expect(SecItemCopyMatching(none as CFDictionary, &result) == errSecItemNotFound)
    #expect(result == nil)
  }

  @Test func whatAddingReturns() throws {
    let add: [CFString: Any] = [
      kSecClass: kSecClassInternetPassword, kSecAttrServer: "example.org", kSecAttrPort: 443,
      kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecValueData: secret, kSecReturnPersistentRef: true,
    ]
    var added: CFTypeRef?
    #expect(SecItemAdd(add as CFDictionary, &added) == errSecSuccess)
    let reference = try #require(added as? Data)
    let byReference = [kSecValuePersistentRef: reference, kSecReturnAttributes: true] as [CFString: Any]
    var found: AnyObject?
    #expect(SecItemCopyMatching(byReference as CFDictionary, &found) == errSecSuccess)
    #expect((found as? [String: AnyObject])?[kSecAttrPort as String] as? Int == 443)
  }

  @Test func anAccessControlComesBack() throws {
    var error: Unmanaged<CFError>?
    let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [], &error)!
    var add = query
    add[kSecAttrAccount as String] = "controlled"
    add[kSecAttrAccessControl as String] = control
    #expect(SecItemAdd(add as CFDictionary, nil) == errSecSuccess)
    add[kSecAttrAccessControl as String] = nil
    add[kSecReturnAttributes as String] = true
    var result: CFTypeRef?
    #expect(SecItemCopyMatching(add as CFDictionary, &result) == errSecSuccess)
    let attributes = result as! [String: Any]
    #expect((attributes[kSecAttrAccessControl as String] as! SecAccessControl) == control)
    #expect(attributes[kSecAttrAccessible as String] as! CFString == kSecAttrAccessibleWhenUnlockedThisDeviceOnly)
  }
}

struct KeychainFailure: Error { let status: OSStatus }
