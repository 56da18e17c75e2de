import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Rows 34 to 39: items that may be synchronized (Apple's si-72).
@Suite("Checklist: synchronizable items", .temporaryKeychain)
struct ChecklistSynchronizableTests {
  private let item = password("ada", [kSecAttrSynchronizable: true])

  @Test("row 34: a synchronizable item is added")
  func addIt() {
    #expect(add(item, returning: [kSecValueData: letter]).status == errSecSuccess)
    #expect(add(item).status == errSecDuplicateItem)
    #expect(add(password("ada")).status == errSecSuccess, "one that is not is another item")
  }

  @Test("row 35: it is found as synchronizable, and not without saying so")
  func findIt() {
    #expect(add(item, returning: [kSecValueData: letter]).status == errSecSuccess)
    #expect(secret(item) == letter)
    #expect(find(password("ada")).status == errSecItemNotFound)
    #expect(find(password("ada", [kSecAttrSynchronizable: false])).status == errSecItemNotFound)
  }

  @Test("row 36: it is found where that does not matter")
  func findAny() {
    #expect(add(item, returning: [kSecValueData: letter]).status == errSecSuccess)
    #expect(secret(password("ada", [kSecAttrSynchronizable: kSecAttrSynchronizableAny])) == letter)
  }

  @Test("row 37: its comment is changed")
  func changeComment() {
    #expect(add(item).status == errSecSuccess)
    #expect(update(password("ada"), [kSecAttrComment: "new"]) == errSecItemNotFound)
    #expect(update(item, [kSecAttrComment: "new"]) == errSecSuccess)
  }

  @Test("row 38: it is found by the new comment")
  func findByComment() {
    #expect(add(item).status == errSecSuccess)
    #expect(update(item, [kSecAttrComment: "new"]) == errSecSuccess)
    #expect(find(item.merging([kSecAttrComment: "new"]) { $1 }).status == errSecSuccess)
    #expect(find(item.merging([kSecAttrComment: "old"]) { $1 }).status == errSecItemNotFound)
  }

  @Test("row 39: it is deleted as synchronizable")
  func deleteIt() {
    #expect(add(item).status == errSecSuccess)
    #expect(delete(password("ada")) == errSecItemNotFound)
    #expect(delete(item) == errSecSuccess)
    #expect(delete(item) == errSecItemNotFound)
  }
}
