import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Rows 16 to 24: an internet password through its life (Apple's si-10).
@Suite("Checklist: internet passwords", .temporaryKeychain)
struct ChecklistInternetPasswordTests {
  private let item = internetPassword()
  private let moved = internetPassword("moved.example.org")

  @Test("row 16: an internet password is added once, then is a duplicate")
  func addTwice() {
    #expect(add(item, returning: [kSecValueData: letter]).status == errSecSuccess)
    #expect(add(item, returning: [kSecValueData: otherLetter]).status == errSecDuplicateItem)
    #expect(secret(item) == letter)
  }

  @Test("row 17: an internet password is found")
  func findIt() {
    #expect(add(item, returning: [kSecValueData: letter]).status == errSecSuccess)
    #expect(find(item).status == errSecSuccess)
    #expect(find(item).object == nil)
  }

  @Test("row 18: attributes found, merged into a query, find the item and its data")
  func findByFoundAttributes() throws {
    #expect(add(item, returning: [kSecValueData: letter]).status == errSecSuccess)
    let found = try #require(attributes(item))
    var query: [String: Any] = [kSecClass as String: kSecClassInternetPassword, kSecReturnData as String: true]
    query.merge(found) { $1 }
    #expect(found[kSecAttrAccessControl as String] is SecAccessControl)
    #expect(Answer { SecItemCopyMatching(query as CFDictionary, $0) }.data == letter)
  }

  @Test("row 19: an update gives it another server")
  func move() {
    #expect(add(item, returning: [kSecValueData: letter]).status == errSecSuccess)
    #expect(update(item, [kSecAttrServer: "moved.example.org"]) == errSecSuccess)
    #expect(secret(moved) == letter)
  }

  @Test("row 20: the same update again finds nothing")
  func moveAgain() {
    #expect(add(item).status == errSecSuccess)
    #expect(update(item, [kSecAttrServer: "moved.example.org"]) == errSecSuccess)
    #expect(update(item, [kSecAttrServer: "moved.example.org"]) == errSecItemNotFound)
  }

  @Test("row 21: the old query has nothing to delete")
  func deleteByOldQuery() {
    #expect(add(item).status == errSecSuccess)
    #expect(update(item, [kSecAttrServer: "moved.example.org"]) == errSecSuccess)
    #expect(delete(item) == errSecItemNotFound)
    #expect(count(moved) == 1)
  }

  @Test("row 22: the old key is free for a new item")
  func addOldAgain() {
    #expect(add(item).status == errSecSuccess)
    #expect(update(item, [kSecAttrServer: "moved.example.org"]) == errSecSuccess)
    #expect(add(item).status == errSecSuccess)
  }

  @Test("row 23: an update onto the key of another item is a duplicate, and changes nothing")
  func moveOntoAnother() {
    #expect(add(item, returning: [kSecValueData: letter]).status == errSecSuccess)
    #expect(add(moved, returning: [kSecValueData: otherLetter]).status == errSecSuccess)
    #expect(update(item, [kSecAttrServer: "moved.example.org"]) == errSecDuplicateItem)
    #expect(secret(item) == letter)
    #expect(secret(moved) == otherLetter)
  }

  @Test("row 24: after that both can still be deleted")
  func deleteBoth() {
    #expect(add(item).status == errSecSuccess)
    #expect(add(moved).status == errSecSuccess)
    #expect(update(item, [kSecAttrServer: "moved.example.org"]) == errSecDuplicateItem)
    #expect(delete(item) == errSecSuccess)
    #expect(delete(moved) == errSecSuccess)
    #expect(count([kSecClass: kSecClassInternetPassword]) == 0)
  }
}
