import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Rows 28 to 33, 66, 73 and 74: persistent references (Apple's si-15, si-43, secd-82 and KeychainAPITests).
@Suite("Checklist: persistent references", .temporaryKeychain)
struct ChecklistReferenceTests {
  private let ada = password("ada", [kSecValueData: letter])
  private let bob = password("bob", [kSecValueData: otherLetter])

  private func reference(adding item: Item) throws -> Data {
    try #require(add(item, returning: [kSecReturnPersistentRef: true]).data)
  }

  @Test(
    "row 28: deleting one group's items leaves another's",
    .temporaryKeychain(accessGroups: ["mail", "calendar"]))
  func deleteOneGroup() {
    for group in ["mail", "calendar"] {
      #expect(add(password("ada", [kSecAttrAccessGroup: group])).status == errSecSuccess)
      #expect(add(internetPassword("example.org", [kSecAttrAccessGroup: group])).status == errSecSuccess)
    }
    for itemClass in [kSecClassGenericPassword, kSecClassInternetPassword] {
      #expect(delete([kSecClass: itemClass, kSecAttrAccessGroup: "mail"]) == errSecSuccess)
      #expect(count([kSecClass: itemClass, kSecAttrAccessGroup: "mail"]) == 0)
      #expect(count([kSecClass: itemClass, kSecAttrAccessGroup: "calendar"]) == 1)
    }
  }

  @Test("row 29: an add returns a persistent reference", arguments: ["genp", "inet", "cert", "keys"])
  func addReturnsReference(itemClass: String) throws {
    let reference = try reference(adding: [kSecClass: itemClass, kSecAttrLabel: "label"])
    #expect(reference.count == 20)
    #expect(String(decoding: reference.prefix(4), as: UTF8.self) == itemClass)
  }

  @Test("row 30: a reference finds what its item's attributes find")
  func referenceFindsItem() throws {
    let reference = try reference(adding: ada)
    let all: Item = [kSecReturnData: true, kSecReturnAttributes: true]
    let byReference = try #require(find([kSecValuePersistentRef: reference], returning: all).dictionary)
    let byAttributes = try #require(find(password("ada"), returning: all).dictionary)
    #expect(byReference as NSDictionary == byAttributes as NSDictionary)
    #expect(byReference[kSecValueData as String] as? Data == letter)
  }

  @Test("row 31: a deleted item is found by neither")
  func deletedItemIsGone() throws {
    let reference = try reference(adding: ada)
    #expect(delete(password("ada")) == errSecSuccess)
    #expect(find([kSecValuePersistentRef: reference], returning: [kSecReturnData: true]).status == errSecItemNotFound)
    #expect(find(password("ada")).status == errSecItemNotFound)
  }

  @Test("row 32: an update by reference changes its item alone")
  func updateByReference() throws {
    let reference = try reference(adding: ada)
    _ = try self.reference(adding: bob)
    #expect(update([kSecValuePersistentRef: reference], [kSecAttrComment: "changed"]) == errSecSuccess)
    #expect(attributes(password("ada"))?[kSecAttrComment as String] as? String == "changed")
    #expect(attributes(password("bob"))?[kSecAttrComment as String] == nil)
  }

  @Test("row 33: a delete by reference removes its item alone")
  func deleteByReference() throws {
    let reference = try reference(adding: ada)
    _ = try self.reference(adding: bob)
    #expect(delete([kSecValuePersistentRef: reference]) == errSecSuccess)
    #expect(delete([kSecValuePersistentRef: reference]) == errSecItemNotFound)
    #expect(count([kSecClass: kSecClassGenericPassword]) == 1)
    #expect(secret(password("bob")) == otherLetter)
  }

  @Test("row 66: a query for one item returns it with its persistent reference")
  func queryReturnsReference() throws {
    let reference = try reference(adding: ada)
    let found = find(
      password("ada"),
      returning: [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true, kSecReturnPersistentRef: true])
    #expect(found.dictionaries?.count == 1)
    #expect(found.dictionaries?.first?[kSecValuePersistentRef as String] as? Data == reference)
  }

  @Test("row 73: a persistent reference is class and UUID, and stays through an update")
  func referenceIsStable() throws {
    let reference = try reference(adding: ada)
    #expect(reference.count == 20)
    #expect(reference.prefix(4) == Data("genp".utf8))
    #expect(update(password("ada"), [kSecAttrAccount: "eve", kSecValueData: otherLetter]) == errSecSuccess)
    let after = find(password("eve"), returning: [kSecReturnPersistentRef: true]).data
    #expect(after == reference)
    #expect(secret([kSecValuePersistentRef: reference]) == otherLetter)
  }

  @Test("row 74: attributes never hold the UUID, nor another private attribute of the keychain")
  func attributesHoldNoColumns() throws {
    let reference = try reference(adding: ada)
    let found = try #require(attributes(password("ada")))
    #expect(
      Set(found.keys) == ["acct", "svce", "agrp", "pdmn", "sync", "accc", "cdat", "mdat"])
    #expect(!found.values.contains { ($0 as? Data) == reference.suffix(16) })
  }
}
