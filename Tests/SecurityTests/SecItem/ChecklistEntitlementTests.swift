import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Rows 44, 45 and 75 to 80: access groups (Apple's si-82 and KeychainEntitlementsTest).
@Suite("Checklist: entitlements")
struct ChecklistEntitlementTests {
  private func inForeignGroup(_ more: Item = [:]) -> Item {
    password("ada", [kSecAttrAccessGroup: "foreign"]).merging(more) { $1 }
  }

  @Test(
    "row 44: nothing is added to the group of tokens, entitled or not",
    .temporaryKeychain(accessGroups: ["own", "com.apple.token"]))
  func addToTokenGroup() throws {
    let item = password("ada", [kSecAttrAccessGroup: kSecAttrAccessGroupToken])
    #expect(add(item).status == errSecMissingEntitlement)
    #expect(update(item, [kSecAttrComment: "new"]) == errSecMissingEntitlement)
    #expect(delete(item) == errSecMissingEntitlement)
    #expect(add(password()).status == errSecSuccess)
    #expect(update(password(), [kSecAttrAccessGroup: kSecAttrAccessGroupToken]) == errSecMissingEntitlement)
    try Keychain.asProgram(of: ["own"]) { #expect(add(item).status == errSecMissingEntitlement) }
  }

  @Test(
    "row 45: the group of tokens is read by those entitled, and is empty",
    .temporaryKeychain(accessGroups: ["own", "com.apple.token"]))
  func readTokenGroup() throws {
    let query = password("ada", [kSecAttrAccessGroup: kSecAttrAccessGroupToken])
    #expect(find(query).status == errSecItemNotFound)
    try Keychain.asProgram(of: ["own"]) { #expect(find(query).status == errSecMissingEntitlement) }
  }

  @Test("row 75: a program without entitlements may do nothing", .temporaryKeychain(accessGroups: []))
  func noEntitlements() {
    #expect(find(password(), returning: [kSecReturnData: true]).status == errSecMissingEntitlement)
    #expect(add(password()).status == errSecMissingEntitlement)
    #expect(update(password(), [kSecAttrComment: "new"]) == errSecMissingEntitlement)
    #expect(delete(password()) == errSecMissingEntitlement)
  }

  @Test(
    "row 76: a program with an identifier finds nothing, adds, and deletes", .temporaryKeychain(accessGroups: ["id"]))
  func applicationIdentifier() {
    #expect(find(password()).status == errSecItemNotFound)
    #expect(add(password()).status == errSecSuccess)
    #expect(delete(password()) == errSecSuccess)
  }

  @Test("row 77: a new item goes to the program's first group", .temporaryKeychain(accessGroups: ["first", "second"]))
  func defaultGroup() {
    let added = add(password(), returning: [kSecReturnAttributes: true])
    #expect(added.dictionary?["agrp"] as? String == "first")
    #expect(find(password("ada", [kSecAttrAccessGroup: "second"])).status == errSecItemNotFound)
  }

  @Test("row 78: a foreign group by name is refused by all four calls", .temporaryKeychain(accessGroups: ["own"]))
  func explicitForeignGroup() {
    #expect(find(inForeignGroup()).status == errSecMissingEntitlement)
    #expect(add(inForeignGroup()).status == errSecMissingEntitlement)
    #expect(update(inForeignGroup(), [kSecAttrComment: "new"]) == errSecMissingEntitlement)
    #expect(delete(inForeignGroup()) == errSecMissingEntitlement)
  }

  @Test("row 79: an item is not moved to a foreign group", .temporaryKeychain(accessGroups: ["own", "other"]))
  func updateIntoForeignGroup() {
    #expect(add(password()).status == errSecSuccess)
    #expect(update(password(), [kSecAttrAccessGroup: "foreign"]) == errSecMissingEntitlement)
    #expect(count(password("ada", [kSecAttrAccessGroup: "own"])) == 1)
    #expect(update(password(), [kSecAttrAccessGroup: "other"]) == errSecSuccess)
    #expect(count(password("ada", [kSecAttrAccessGroup: "other"])) == 1)
  }

  @Test(
    "row 80: another program's item is not there, unless the group is named", .temporaryKeychain(accessGroups: ["own"]))
  func implicitForeignGroup() throws {
    try Keychain.asProgram(of: ["foreign"]) {
      #expect(add(password("ada", [kSecValueData: letter])).status == errSecSuccess)
    }
    #expect(find(password()).status == errSecItemNotFound)
    #expect(update(password(), [kSecAttrComment: "new"]) == errSecItemNotFound)
    #expect(delete(password()) == errSecItemNotFound)
    try Keychain.asProgram(of: ["foreign"]) { #expect(secret(password()) == letter) }
  }

  @Test("a persistent reference opens no foreign group", .temporaryKeychain(accessGroups: ["own"]))
  func foreignReference() throws {
    let reference = try Keychain.asProgram(of: ["foreign"]) {
      try #require(add(password(), returning: [kSecReturnPersistentRef: true]).data)
    }
    let query: Item = [kSecValuePersistentRef: reference]
    #expect(find(query, returning: [kSecReturnData: true]).status == errSecItemNotFound)
    #expect(update(query, [kSecAttrComment: "new"]) == errSecItemNotFound)
    #expect(delete(query) == errSecItemNotFound)
  }

  @Test("two programs that share a group see each other's items there, and nothing else", .temporaryKeychain)
  func sharedGroup() throws {
    try Keychain.asProgram(of: ["one", "shared"]) {
      #expect(add(password("ada")).status == errSecSuccess)
      #expect(add(password("bob", [kSecAttrAccessGroup: "shared"])).status == errSecSuccess)
    }
    try Keychain.asProgram(of: ["two", "shared"]) {
      #expect(count([kSecClass: kSecClassGenericPassword]) == 1)
      #expect(find(password("bob")).status == errSecSuccess)
      #expect(find(password("ada")).status == errSecItemNotFound)
    }
  }

  @Test(
    "the group * opens all groups, as a keychain dumper's entitlements do", .temporaryKeychain(accessGroups: ["own"]))
  func everyGroup() throws {
    #expect(add(password()).status == errSecSuccess)
    try Keychain.asProgram(of: ["*"]) {
      #expect(count([kSecClass: kSecClassGenericPassword]) == 1)
      #expect(find(inForeignGroup()).status == errSecItemNotFound)
      #expect(add(inForeignGroup()).status == errSecSuccess)
      #expect(count([kSecClass: kSecClassGenericPassword]) == 2)
    }
    #expect(count([kSecClass: kSecClassGenericPassword]) == 1)
  }
}
