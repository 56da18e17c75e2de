import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Odd keys and values that no call may trap on or misread, each with its expected status.
@Suite("Malformed queries", .temporaryKeychain)
struct SecItemMalformedTests {
  /// A dictionary and what each call says to it; nil where it is a good one for that call.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable () -> NSDictionary
    let statuses: [OSStatus?]

    init(
      _ name: String, add: OSStatus?, find: OSStatus?, update: OSStatus?, delete: OSStatus?,
      _ more: @escaping @Sendable () -> Item
    ) {
      testDescription = name
      make = { password("ada", more()) as NSDictionary }
      statuses = [add, find, update, delete]
    }

    init(_ name: String, _ all: OSStatus, _ more: @escaping @Sendable () -> Item) {
      self.init(name, add: all, find: all, update: all, delete: all, more)
    }

    init(_ name: String, whole all: OSStatus, _ make: @escaping @Sendable () -> NSDictionary) {
      testDescription = name
      self.make = make
      statuses = [all, all, all, all]
    }
  }

  static let param = errSecParam
  static let noAttribute = errSecNoSuchAttr

  static let keys: [Case] = [
    Case("an empty dictionary", whole: param) { [:] },
    Case("no class", whole: param) { [kSecAttrAccount: "ada"] },
    Case("a class that is no text", whole: param) { [kSecClass: 7, kSecAttrAccount: "ada"] },
    Case("a class that is null", whole: param) { [kSecClass: NSNull()] },
    Case("an unknown class", whole: errSecNoSuchClass) { [kSecClass: "none"] },
    Case("an empty class", whole: errSecNoSuchClass) { [kSecClass: ""] },
    Case("AppleShare passwords", whole: errSecNoSuchClass) { [kSecClass: "apls"] },
    Case("a number as a key", whole: param) { [kSecClass: kSecClassGenericPassword, 7: "seven"] },
    Case("null as a key", whole: param) { [kSecClass: kSecClassGenericPassword, NSNull(): "null"] },
    Case("data as a key", whole: param) { [kSecClass: kSecClassGenericPassword, Data([1]) as NSData: "data"] },
    Case("a date as a key", whole: param) { [kSecClass: kSecClassGenericPassword, NSDate(): "now"] },
    Case("an array as a key", whole: param) { [kSecClass: kSecClassGenericPassword, NSArray(array: [1]): "list"] },
    Case("an empty key", param) { ["": "x"] },
    Case("a key of one character", param) { ["f": "x"] },
    Case("a key of three", param) { ["svc": "x"] },
    Case("a key of no kind", param) { ["hello": "x"] },
    Case("an unknown attribute", noAttribute) { ["xxxx": "x"] },
    Case("an attribute of another class", noAttribute) { [kSecAttrServer: "x"] },
    Case("an attribute beyond ASCII", noAttribute) { ["äöüß": "x"] },
    Case("two emoji, which are four units", noAttribute) { ["😀😀": "x"] },
    Case("one emoji, which is four bytes", param) { ["😀": "x"] },
    Case("an unknown match", param) { ["m_Nothing": true] },
    Case("an unknown return", param) { ["r_Nothing": true] },
    Case("an unknown use", param) { ["u_Nothing": true] },
    Case("an unknown value", param) { ["v_Nothing": true] },
    Case("an unknown key with c", param) { ["clazz": "x"] },
    Case("a list of items", param) { [kSecUseItemList: [1]] },
    Case("a list to match", param) { [kSecMatchItemList: [1]] },
    Case("keychains to search", param) { [kSecMatchSearchList: []] },
    Case("a keychain", param) { [kSecUseKeychain: "login"] },
    Case("an unknown attribute beside a wrong value", param) { ["xxxx": "x", kSecReturnData: "yes"] },
  ]

  static let values: [Case] = [
    Case("an account that is null", param) { [kSecAttrAccount: NSNull()] },
    Case("an account that is an array", param) { [kSecAttrAccount: ["ada"]] },
    Case("an account that is a dictionary", param) { [kSecAttrAccount: ["ada": ["bob": [1, 2, 3]]]] },
    Case("an account that is a date", param) { [kSecAttrAccount: Date()] },
    Case("an account that is a truth value", param) { [kSecAttrAccount: true] },
    Case("an account that is a fraction", param) { [kSecAttrAccount: 0.5] },
    Case("an account that is no Foundation object", param) { [kSecAttrAccount: UUID()] },
    Case("an account that is an object", param) { [kSecAttrAccount: NSObject()] },
    Case("an account that is a closure", param) { [kSecAttrAccount: { () -> Int in 1 }] },
    Case("a certificate as a label", param) { [kSecAttrLabel: ItemCertificates.ada] },
    Case("a type that is data", param) { [kSecAttrType: Data([1])] },
    Case("a type beyond 64 bits", param) { [kSecAttrType: UInt64.max] },
    Case("a type that is no number", param) { [kSecAttrType: Double.nan] },
    Case("a type without end", param) { [kSecAttrType: Double.infinity] },
    Case("a type that is huge", param) { [kSecAttrType: 1e300] },
    Case("a type that is a fraction", param) { [kSecAttrType: 1.5] },
    Case("a moment that is a text", param) { [kSecAttrCreationDate: "2001-01-01"] },
    Case("a moment that is a number", param) { [kSecAttrCreationDate: 0] },
    Case("a moment without end", param) { [kSecAttrCreationDate: Date(timeIntervalSinceReferenceDate: .infinity)] },
    Case("a group that is a number", param) { [kSecAttrAccessGroup: 1] },
    Case("a group that is a list", param) { [kSecAttrAccessGroup: ["one", "two"]] },
    Case("an unknown accessibility", param) { [kSecAttrAccessible: "whenever"] },
    Case("an accessibility that is a number", param) { [kSecAttrAccessible: 1] },
    Case("an access control that is null", param) { [kSecAttrAccessControl: NSNull()] },
    Case("a synchronizable that is a word", param) { [kSecAttrSynchronizable: "yes"] },
    Case("a synchronizable that is data", param) { [kSecAttrSynchronizable: Data([1])] },
    Case("a secret that is a text", param) { [kSecValueData: "secret"] },
    Case("a secret that is null", param) { [kSecValueData: NSNull()] },
    Case("a secret that is an array of bytes", param) { [kSecValueData: [UInt8]([1, 2])] },
    Case("a reference that is a text", param) { [kSecValueRef: "reference"] },
    Case("a reference that is another object", param) { [kSecValueRef: NSObject()] },
    Case("a certificate as a password", param) { [kSecValueRef: ItemCertificates.ada] },
    Case("a persistent reference that is a text", param) { [kSecValuePersistentRef: "genp"] },
    Case("a persistent reference that is short", param) { [kSecValuePersistentRef: Data("genp".utf8)] },
    Case("a persistent reference of the old form", param) {
      [kSecValuePersistentRef: Data("genp".utf8) + Data(count: 8)]
    },
    Case("a persistent reference that is long", param) {
      [kSecValuePersistentRef: Data("genp".utf8) + Data(count: 17)]
    },
    Case("a persistent reference of no class", param) { [kSecValuePersistentRef: Data("none".utf8) + Data(count: 16)] },
    Case("a persistent reference of a class in Latin-1", param) {
      [kSecValuePersistentRef: Data([0xE9, 0xE9, 0xE9, 0xE9]) + Data(count: 16)]
    },
    Case("a return that is a text", param) { [kSecReturnData: "true"] },
    Case("a return that is 2", param) { [kSecReturnAttributes: 2] },
    Case("a return that is -1", param) { [kSecReturnRef: -1] },
    Case("a return that is null", param) { [kSecReturnPersistentRef: NSNull()] },
    Case("a prompt that is a number", param) { [kSecUseOperationPrompt: 1] },
    Case("an unknown way of asking", param) { [kSecUseAuthenticationUI: "u_AuthUIX"] },
    Case("a way of asking that is a truth value", param) { [kSecUseAuthenticationUI: true] },
    Case("no way of asking, as a text", param) { [kSecUseNoAuthenticationUI: "no"] },
    Case("a context that is a text", param) { [kSecUseAuthenticationContext: "context"] },
    Case("a context beside a credential", param) {
      [kSecUseAuthenticationContext: NSObject(), "u_CredRef": Data([1])]
    },
    Case("a credential that is a text", param) { ["u_CredRef": "credential"] },
  ]

  static let matches: [Case] = [
    Case("a limit of 0", param) { [kSecMatchLimit: 0] },
    Case("a limit below 0", param) { [kSecMatchLimit: -1] },
    Case("a limit that is a truth value", param) { [kSecMatchLimit: true] },
    Case("a limit that is a fraction", param) { [kSecMatchLimit: 1.5] },
    Case("a limit in words", param) { [kSecMatchLimit: "two"] },
    Case("a limit that is null", param) { [kSecMatchLimit: NSNull()] },
    Case("a limit beyond 64 bits", param) { [kSecMatchLimit: UInt64.max] },
    Case("a policy", param) { [kSecMatchPolicy: NSObject()] },
    Case("issuers that are data", param) { [kSecMatchIssuers: Data([0x30, 0])] },
    Case("no issuer", param) { [kSecMatchIssuers: [Data]()] },
    Case("issuers that are texts", param) { [kSecMatchIssuers: ["CN=x"]] },
    Case("issuers that are no names", param) { [kSecMatchIssuers: [Data([1, 2, 3])]] },
    Case("issuers of a password", add: param, find: errSecUnimplemented, update: param, delete: param) {
      [kSecMatchIssuers: [Data([0x30, 0])]]
    },
    Case("a domain of a generic password", add: param, find: errSecUnimplemented, update: param, delete: param) {
      [kSecMatchHostOrSubdomainOfHost: "example.org"]
    },
    Case("a domain that is a number", param) { [kSecMatchHostOrSubdomainOfHost: 1] },
    Case("a date that is a text", param) { [kSecMatchValidOnDate: "now"] },
    Case("a trust that is a text", param) { [kSecMatchTrustedOnly: "yes"] },
    Case("an address that is a list", param) { [kSecMatchEmailAddressIfPresent: ["a@b"]] },
    Case("a subject that is data", param) { [kSecMatchSubjectContains: Data([1])] },
    Case("the subject of a password", param) { [kSecMatchSubjectContains: "ada"] },
    Case("the start of a password's subject", param) { [kSecMatchSubjectStartsWith: "ada"] },
    Case("the end of a password's subject", param) { [kSecMatchSubjectEndsWith: "ada"] },
    Case("the whole of a password's subject", param) { [kSecMatchSubjectWholeString: "ada"] },
    Case("a case that is a text", param) { [kSecMatchCaseInsensitive: "yes"] },
    Case("diacritics that are a text", param) { [kSecMatchDiacriticInsensitive: "yes"] },
    Case("a width that is 2", param) { [kSecMatchWidthInsensitive: 2] },
    Case("a good limit", add: param, find: nil, update: param, delete: param) { [kSecMatchLimit: 1] },
    Case("all", add: param, find: nil, update: param, delete: nil) { [kSecMatchLimit: kSecMatchLimitAll] },
    Case("one", add: param, find: nil, update: param, delete: param) { [kSecMatchLimit: kSecMatchLimitOne] },
    Case("a case", add: param, find: nil, update: param, delete: param) { [kSecMatchCaseInsensitive: true] },
    Case("a date", add: param, find: nil, update: param, delete: param) { [kSecMatchValidOnDate: NSNull()] },
    Case("items that need no consent", add: param, find: nil, update: param, delete: param) {
      [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]
    },
    Case("data wanted", add: errSecDuplicateItem, find: nil, update: param, delete: nil) { [kSecReturnData: true] },
    Case("data not wanted", add: errSecDuplicateItem, find: nil, update: nil, delete: nil) { [kSecReturnData: false] },
    Case("a key of callbacks", add: errSecDuplicateItem, find: nil, update: nil, delete: nil) { ["f_callback": 1] },
    Case("the older keychain", add: errSecDuplicateItem, find: nil, update: nil, delete: nil) {
      [kSecUseDataProtectionKeychain: "whatever"]
    },
  ]

  @Test("an odd query has one status in each call, and does nothing", arguments: keys + values + matches)
  func oddQuery(odd: Case) {
    let item = password("ada", [kSecValueData: letter])
    #expect(add(item).status == errSecSuccess)
    let query = odd.make()
    let added = Answer { SecItemAdd(query, $0) }
    #expect(added.status == odd.statuses[0] ?? errSecSuccess, "add")
    let found = Answer { SecItemCopyMatching(query, $0) }
    #expect(found.status == odd.statuses[1] ?? errSecSuccess, "find")
    if odd.statuses[1] != nil { #expect(found.object == nil) }
    let updated = SecItemUpdate(query, [kSecAttrComment: "new"] as CFDictionary)
    #expect(updated == odd.statuses[2] ?? errSecSuccess, "update")
    #expect(SecItemDelete(query) == odd.statuses[3] ?? errSecSuccess, "delete")
    #expect(count(password("ada")) == (odd.statuses[3] == nil ? 0 : 1))
    #expect(count([kSecClass: kSecClassGenericPassword]) == (odd.statuses[3] == nil ? 0 : 1))
  }

  @Test("the same holds without a place for the result", arguments: keys + values)
  func oddQueryWithoutResult(odd: Case) {
    #expect(SecItemAdd(odd.make(), nil) == odd.statuses[0] ?? errSecSuccess)
    #expect(SecItemCopyMatching(odd.make(), nil) == odd.statuses[1] ?? errSecSuccess)
  }

  @Test("an odd change has one status, and changes nothing", arguments: changes)
  func oddChange(name: String, change: @Sendable () -> NSDictionary, status: OSStatus) {
    #expect(add(password("ada", [kSecValueData: letter])).status == errSecSuccess)
    let before = attributes(password("ada"))
    #expect(SecItemUpdate(password("ada") as CFDictionary, change()) == status, "\(name)")
    #expect(attributes(password("ada")) as NSDictionary? == before as NSDictionary?)
    #expect(secret(password("ada")) == letter)
  }

  static let changes: [(String, @Sendable () -> NSDictionary, OSStatus)] = [
    ("a class", { [kSecClass: kSecClassGenericPassword] }, noAttribute),
    ("a limit", { [kSecMatchLimit: kSecMatchLimitAll] }, noAttribute),
    ("a return", { [kSecReturnData: true] }, noAttribute),
    ("a reference", { [kSecValueRef: ItemCertificates.ada] }, noAttribute),
    ("a persistent reference", { [kSecValuePersistentRef: Data(count: 20)] }, noAttribute),
    ("the older keychain", { [kSecUseDataProtectionKeychain: true] }, noAttribute),
    ("an unknown attribute", { ["xxxx": 1] }, noAttribute),
    ("an attribute of another class", { [kSecAttrServer: "example.org"] }, noAttribute),
    ("a key of no kind", { ["hello": 1] }, noAttribute),
    ("an empty key", { ["": 1] }, noAttribute),
    ("a number as a key", { [7: 1] }, param),
    ("null as a key", { [NSNull(): 1] }, param),
    ("an unknown attribute beside data that is none", { ["xxxx": 1, kSecValueData: "text"] }, param),
    ("a null label", { [kSecAttrLabel: NSNull()] }, param),
    ("a label that is a list", { [kSecAttrLabel: [1]] }, param),
    ("a type that is data", { [kSecAttrType: Data([1])] }, param),
    ("a moment that is a text", { [kSecAttrCreationDate: "now"] }, param),
    ("a modification date that is a text", { [kSecAttrModificationDate: "now"] }, param),
    ("an unknown accessibility", { [kSecAttrAccessible: "whenever"] }, param),
    ("a group that is a number", { [kSecAttrAccessGroup: 1] }, param),
    ("a foreign group", { [kSecAttrAccessGroup: "foreign"] }, errSecMissingEntitlement),
    ("a synchronizable that is a word", { [kSecAttrSynchronizable: "yes"] }, param),
    ("an access control that is a text", { [kSecAttrAccessControl: "ak"] }, param),
    ("an internal key", { ["clip": true] }, param),
  ]
}
