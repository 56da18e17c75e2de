import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Rows 25 to 27, 64 and 81 to 83: changes (Apple's si-11, secd-81 and SecItemTests).
@Suite("Checklist: updates", .temporaryKeychain)
struct ChecklistUpdateTests {
  private let item = password()

  @Test("row 25: an update gives an item other data")
  func updateData() {
    #expect(add(item, returning: [kSecValueData: letter]).status == errSecSuccess)
    #expect(update(item, [kSecValueData: otherLetter]) == errSecSuccess)
    #expect(secret(item) == otherLetter)
  }

  @Test("row 26: null is no data")
  func updateToNull() {
    #expect(add(item, returning: [kSecValueData: letter]).status == errSecSuccess)
    #expect(update(item, [kSecValueData: NSNull()]) == errSecParam)
    #expect(secret(item) == letter)
  }

  @Test("row 27: a text is no data")
  func updateToText() {
    #expect(add(item, returning: [kSecValueData: letter]).status == errSecSuccess)
    #expect(update(item, [kSecValueData: "a text"]) == errSecParam)
    #expect(secret(item) == letter)
  }

  @Test("row 64: a kSecUse key is an unknown attribute of a change")
  func useKeyInChange() {
    #expect(add(item, returning: [kSecValueData: letter]).status == errSecSuccess)
    for key in [kSecUseAuthenticationUI, kSecUseOperationPrompt, kSecUseNoAuthenticationUI] {
      #expect(update(item, [key: kSecUseAuthenticationUIFail, kSecValueData: otherLetter]) == errSecNoSuchAttr)
    }
    #expect(secret(item) == letter)
  }

  @Test("row 81: two passwords that differ in the account alone are two, the same again is a duplicate")
  func twoAccounts() {
    #expect(add(password("ada")).status == errSecSuccess)
    #expect(add(password("bob")).status == errSecSuccess)
    #expect(add(password("ada")).status == errSecDuplicateItem)
    #expect(count([kSecClass: kSecClassGenericPassword]) == 2)
  }

  @Test("row 82: a renamed item is no longer there under its old name")
  func rename() {
    #expect(add(item, returning: [kSecValueData: letter]).status == errSecSuccess)
    let name: Item = [kSecAttrAccount: "bob", kSecAttrService: "telephone"]
    #expect(update(item, name) == errSecSuccess)
    #expect(update(item, name) == errSecItemNotFound)
    #expect(secret(password("bob", service: "telephone")) == letter)
  }

  @Test("row 83: an empty text is accepted as a port")
  func emptyPort() {
    #expect(add(internetPassword("example.org", [kSecAttrPort: "", kSecValueData: letter])).status == errSecSuccess)
    #expect(secret(internetPassword("example.org", [kSecAttrPort: ""])) == letter)
  }
}
