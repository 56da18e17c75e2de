import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// How programs in Swift 6 mode receive results.
@Suite(.temporaryKeychain) struct Results {
  init() throws {
    for account in ["ann", "bob", "cid"] {
      let query: [CFString: Any] = [
        kSecClass: kSecClassInternetPassword, kSecAttrServer: "example.org", kSecAttrAccount: account,
        kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrPort: 8443, kSecValueData: Data(account.utf8),
      ]
      try check(SecItemAdd(query as CFDictionary, nil))
    }
  }

  private let base: [CFString: Any] = [kSecClass: kSecClassInternetPassword, kSecAttrServer: "example.org"]

  @Test func oneOfManyByOptionalCast() throws {
    var query = base
    query[kSecAttrAccount] = "bob"
    query[kSecReturnData] = true
    var item: CFTypeRef?
    try check(SecItemCopyMatching(query as CFDictionary, &item))
    #expect((item as? Data).flatMap { String(data: $0, encoding: .utf8) } == "bob")
    #expect(item as! CFData == Data("bob".utf8) as CFData)
  }

  @Test func allInOrder() throws {
    var query = base
    query[kSecReturnAttributes] = true
    query[kSecReturnData] = true
    query[kSecMatchLimit] = kSecMatchLimitAll
    var items: CFTypeRef?
    try check(SecItemCopyMatching(query as CFDictionary, &items))
    guard let found = items as? [[String: Any]] else { throw Failure(status: errSecInternalComponent) }
    let pairs = found.compactMap { item -> (String, Data)? in
      guard let account = item[kSecAttrAccount as String] as? String, let data = item[kSecValueData as String] as? Data
      else { return nil }
      return (account, data)
    }
    #expect(
      Dictionary(uniqueKeysWithValues: pairs).mapValues { String(decoding: $0, as: UTF8.self) } == [
        "ann": "ann", "bob": "bob", "cid": "cid",
      ])
    #expect((items as? [[CFString: Any]])?.first?[kSecAttrPort] as? Int == 8443)
    #expect(found.allSatisfy { $0[kSecAttrProtocol as String] as? String == kSecAttrProtocolHTTPS as String })
  }

  @Test func bridgedCollections() throws {
    var query = base
    query[kSecReturnAttributes] = true
    query[kSecMatchLimit] = 10
    var result: AnyObject?
    try check(SecItemCopyMatching(query as CFDictionary, &result))
    let array = try #require(result as? NSArray)
    let accounts = array.compactMap { ($0 as? NSDictionary)?[kSecAttrAccount] as? String }
    #expect(Set(accounts) == ["ann", "bob", "cid"])
    #expect(CFGetTypeID(result) == CFArrayGetTypeID())
  }

  @Test func persistentReferencesOfAll() throws {
    var query = base
    query[kSecReturnPersistentRef] = true
    query[kSecMatchLimit] = kSecMatchLimitAll
    var result: CFTypeRef?
    try check(SecItemCopyMatching(query as CFDictionary, &result))
    let references = try #require(result as? [Data])
    #expect(Set(references).count == 3)
    for reference in references {
      try check(SecItemDelete([kSecValuePersistentRef: reference] as CFDictionary))
    }
    #expect(SecItemCopyMatching(base as CFDictionary, nil) == errSecItemNotFound)
  }

  @Test func attributesReadBackIntoAQuery() throws {
    var query = base
    query[kSecReturnAttributes] = true
    query[kSecAttrAccount] = "ann"
    var result: CFTypeRef?
    try check(SecItemCopyMatching(query as CFDictionary, &result))
    let attributes = try #require(result as? NSDictionary)
    let again = try #require(attributes.mutableCopy() as? NSMutableDictionary)
    again[kSecClass] = kSecClassInternetPassword
    again[kSecReturnData] = kCFBooleanTrue
    try check(SecItemCopyMatching(again, &result))
    #expect(result as? Data == Data("ann".utf8))
  }

  @Test func datesAndNumbers() throws {
    var query = base
    query[kSecReturnAttributes] = true
    var result: CFTypeRef?
    try check(SecItemCopyMatching(query as CFDictionary, &result))
    let attributes = try #require(result as? [String: Any])
    let created = try #require(attributes[kSecAttrCreationDate as String] as? Date)
    #expect(abs(created.timeIntervalSinceNow) < 3600)
    #expect((attributes[kSecAttrPort as String] as? NSNumber)?.intValue == 8443)
    #expect(attributes[kSecAttrAccessible as String] as? String == kSecAttrAccessibleWhenUnlocked as String)
  }

  @Test func aPointerOfOnesOwn() throws {
    let pointer = UnsafeMutablePointer<CFTypeRef?>.allocate(capacity: 1)
    pointer.initialize(to: nil)
    defer { pointer.deinitialize(count: 1).deallocate() }
    var query = base
    query[kSecReturnData] = kCFBooleanTrue
    try check(SecItemCopyMatching(query as CFDictionary, pointer))
    #expect((pointer.pointee as? Data)?.count == 3)
  }
}

/// The result of a call that failed.
struct Failure: Error, Equatable { let status: OSStatus }

func check(_ status: OSStatus) throws(Failure) {
  guard status == errSecSuccess else { throw Failure(status: status) }
}
