import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// The items that a delete removes, and its refusals.
@Suite("Deletes", .temporaryKeychain)
struct SecItemDeleteTests {
  @Test("a delete removes all items that match, of its class alone")
  func removesAll() {
    for account in ["ada", "bob"] { #expect(add(password(account)).status == errSecSuccess) }
    #expect(add(internetPassword()).status == errSecSuccess)
    #expect(delete([kSecClass: kSecClassGenericPassword]) == errSecSuccess)
    #expect(count([kSecClass: kSecClassGenericPassword]) == 0)
    #expect(count([kSecClass: kSecClassInternetPassword]) == 1)
  }

  @Test("nothing to delete is not found", arguments: ["genp", "inet", "cert", "keys", "idnt"])
  func nothingThere(itemClass: String) {
    #expect(delete([kSecClass: itemClass as CFString]) == errSecItemNotFound)
  }

  @Test("The dictionary that added an item deletes it, its secret included")
  func byAddedDictionary() {
    let item = password("ada", [kSecValueData: letter, kSecAttrLabel: "label"])
    #expect(add(item).status == errSecSuccess)
    #expect(delete(item.merging([kSecValueData: otherLetter]) { $1 }) == errSecSuccess, "the secret is no attribute")
  }

  @Test("An item that differs in one attribute stays")
  func oneAttributeDiffers() {
    #expect(add(password("ada", [kSecAttrLabel: "one"])).status == errSecSuccess)
    #expect(delete(password("ada", [kSecAttrLabel: "two"])) == errSecItemNotFound)
    #expect(count(password("ada")) == 1)
  }

  @Test("A persistent reference accepts no other attribute but the class")
  func byReference() throws {
    let reference = try #require(add(password("ada"), returning: [kSecReturnPersistentRef: true]).data)
    let query: Item = [kSecValuePersistentRef: reference]
    for more: Item in [
      [kSecAttrAccount: "ada"], [kSecAttrAccessGroup: "default"], [kSecAttrAccessible: "ak"],
      [kSecAttrSynchronizable: true],
    ] {
      #expect(delete(query.merging(more) { $1 }) == errSecParam)
      #expect(find(query.merging(more) { $1 }).status == errSecParam)
    }
    #expect(delete(query.merging([kSecClass: kSecClassInternetPassword]) { $1 }) == errSecNoSuchClass)
    #expect(delete(query.merging([kSecClass: kSecClassGenericPassword]) { $1 }) == errSecSuccess)
  }

  @Test("a reference of another class finds nothing")
  func referenceOfAnotherClass() throws {
    let reference = try #require(add(password("ada"), returning: [kSecReturnPersistentRef: true]).data)
    let forged = Data("inet".utf8) + reference.dropFirst(4)
    #expect(find([kSecValuePersistentRef: forged]).status == errSecItemNotFound)
    #expect(delete([kSecValuePersistentRef: forged]) == errSecItemNotFound)
    #expect(find([kSecValuePersistentRef: reference]).status == errSecSuccess)
  }

  @Test("A limit of all is accepted, as macOS's older keychain requires it; any other is refused")
  func limits() {
    for account in ["ada", "bob"] { #expect(add(password(account)).status == errSecSuccess) }
    let query: Item = [kSecClass: kSecClassGenericPassword]
    for limit: Any in [kSecMatchLimitOne, 1, 2] {
      #expect(delete(query.merging([kSecMatchLimit: limit]) { $1 }) == errSecParam)
    }
    #expect(count(query) == 2)
    #expect(delete(query.merging([kSecMatchLimit: kSecMatchLimitAll]) { $1 }) == errSecSuccess)
    #expect(count(query) == 0)
  }

  @Test("nothing is added by persistent reference")
  func addByReference() throws {
    let reference = try #require(add(password("ada"), returning: [kSecReturnPersistentRef: true]).data)
    #expect(add(password("bob", [kSecValuePersistentRef: reference])).status == errSecParam)
    #expect(count([kSecClass: kSecClassGenericPassword]) == 1)
  }
}
