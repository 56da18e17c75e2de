import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Rows 62, 65 and 68: the lock, and access controls (Apple's secd-01, secd-81 and KeychainAPITests).
@Suite("Checklist: lock and access control")
struct ChecklistAccessTests {
  @Test(
    "row 62: a locked keychain neither adds nor finds; unlocked again, the item is a duplicate",
    .temporaryKeychain(passcode: "correct horse"))
  func locked() throws {
    #expect(add(password("ada", [kSecValueData: letter])).status == errSecSuccess)
    Keychain.lock()
    #expect(add(password("ada", [kSecValueData: letter])).status == errSecInteractionNotAllowed)
    #expect(add(password("bob", [kSecValueData: letter])).status == errSecInteractionNotAllowed)
    let found = find(password("ada"), returning: [kSecReturnData: true])
    #expect(found.status == errSecInteractionNotAllowed)
    #expect(found.object == nil)
    #expect(update(password("ada"), [kSecValueData: otherLetter]) == errSecInteractionNotAllowed)
    try Keychain.unlock()
    #expect(add(password("ada")).status == errSecDuplicateItem)
    #expect(secret(password("ada")) == letter)
    #expect(find(password("bob")).status == errSecItemNotFound)
  }

  @Test(
    "what is accessible after the first unlock, or always, is found while locked",
    .temporaryKeychain(passcode: "correct horse"),
    arguments: [
      kSecAttrAccessibleAfterFirstUnlock, kSecAttrAccessibleAlways, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      kSecAttrAccessibleAlwaysThisDeviceOnly,
    ].map { $0 as String })
  func accessibleWhileLocked(accessible: String) {
    Keychain.lock()
    #expect(add(password("ada", [kSecAttrAccessible: accessible, kSecValueData: letter])).status == errSecSuccess)
    #expect(secret(password("ada")) == letter)
  }

  @Test("a locked item can be deleted", .temporaryKeychain(passcode: "correct horse"))
  func deleteWhileLocked() {
    #expect(add(password("ada")).status == errSecSuccess)
    Keychain.lock()
    #expect(delete(password("ada")) == errSecSuccess)
    #expect(delete(password("ada")) == errSecItemNotFound)
  }

  @Test("an item for a device with a passcode is not added without one", .temporaryKeychain)
  func passcodeNeeded() {
    let item = password("ada", [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly])
    #expect(add(item).status == errSecAuthFailed)
    #expect(count(password("ada")) == 0)
  }

  @Test("an item for a device with a passcode is added with one", .temporaryKeychain(passcode: "correct horse"))
  func passcodeGiven() {
    let item = password("ada", [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly])
    #expect(add(item).status == errSecSuccess)
  }

  private func control(
    _ protection: CFString = kSecAttrAccessibleWhenUnlocked, _ flags: SecAccessControlCreateFlags = []
  ) throws -> SecAccessControl {
    try #require(SecAccessControlCreateWithFlags(nil, protection, flags, nil))
  }

  @Test(
    "row 65: an item with an access control that makes no sense is refused, and nothing is stored", .temporaryKeychain)
  func invalidAccessControl() throws {
    let constrained = try control(kSecAttrAccessibleWhenUnlocked, .userPresence)
    let odd: [Item] = [
      [kSecAttrAccessControl: NSNull()],
      [kSecAttrAccessControl: Data([1, 2, 3])],
      [kSecAttrAccessControl: ItemCertificates.ada],
      [kSecAttrAccessControl: constrained, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked],
      [kSecAttrAccessControl: try control(), kSecAttrAccessible: kSecAttrAccessibleAlways],
      [kSecAttrAccessControl: constrained, kSecAttrSynchronizable: true],
    ]
    for more in odd {
      let answer = add(password("ada", more), returning: [kSecReturnAttributes: true])
      #expect(answer.status == errSecParam, "\(more)")
      #expect(answer.object == nil)
    }
    #expect(count(password("ada", [kSecAttrSynchronizable: kSecAttrSynchronizableAny])) == 0)
  }

  @Test("row 68: a text is no access control, for an add and for a delete", .temporaryKeychain)
  func textAsAccessControl() {
    let odd = password("ada", [kSecAttrAccessControl: "ak"])
    #expect(add(odd).status == errSecParam)
    #expect(add(password("ada")).status == errSecSuccess)
    #expect(delete(odd) == errSecParam)
    #expect(find(odd).status == errSecParam)
    #expect(update(password("ada"), [kSecAttrAccessControl: "ak"]) == errSecParam)
    #expect(count(password("ada")) == 1)
  }

  @Test("an access control without constraints gives the item its protection", .temporaryKeychain)
  func plainAccessControl() throws {
    let control = try control(kSecAttrAccessibleAfterFirstUnlock)
    #expect(add(password("ada", [kSecAttrAccessControl: control])).status == errSecSuccess)
    let found = try #require(attributes(password("ada")))
    #expect(found["pdmn"] as? String == "ck")
    #expect(found["accc"] as? SecAccessControl == control)
  }

  @Test("an access control and an accessibility that say the same go together", .temporaryKeychain)
  func agreeingAccessControl() throws {
    let item = password(
      "ada",
      [
        kSecAttrAccessControl: try control(kSecAttrAccessibleAlways), kSecAttrAccessible: kSecAttrAccessibleAlways,
      ])
    #expect(add(item).status == errSecSuccess)
    #expect(find(item).status == errSecSuccess)
  }

  @Test("an access control that wants the passcode is not stored without one", .temporaryKeychain)
  func constrainedAccessControl() throws {
    let constrained = try control(kSecAttrAccessibleWhenUnlocked, .userPresence)
    #expect(add(password("ada", [kSecAttrAccessControl: constrained])).status == errSecAuthFailed)
    #expect(count(password("ada")) == 0)
    #expect(add(password("ada")).status == errSecSuccess)
    #expect(update(password("ada"), [kSecAttrAccessControl: constrained]) == errSecAuthFailed)
  }
}
