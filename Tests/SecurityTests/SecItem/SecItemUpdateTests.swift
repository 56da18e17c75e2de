import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// The changes of an update, the items that it changes, and its refusals.
@Suite("Updates", .temporaryKeychain)
struct SecItemUpdateTests {
  private let all: Item = [kSecClass: kSecClassGenericPassword]

  @Test("an update changes all items that match, not the first alone")
  func changesAll() {
    for account in ["ada", "bob", "eve"] {
      #expect(add(password(account, [kSecAttrComment: account == "eve" ? "no" : "yes"])).status == errSecSuccess)
    }
    #expect(update(all.merging([kSecAttrComment: "yes"]) { $1 }, [kSecAttrLabel: "changed"]) == errSecSuccess)
    #expect(count(all.merging([kSecAttrLabel: "changed"]) { $1 }) == 2)
    #expect(find(password("eve", [kSecAttrLabel: "changed"])).status == errSecItemNotFound)
  }

  @Test("an update of several onto one key changes none")
  func changesNoneOnClash() {
    #expect(add(password("ada", [kSecValueData: letter])).status == errSecSuccess)
    #expect(add(password("bob", [kSecValueData: otherLetter])).status == errSecSuccess)
    #expect(update(all, [kSecAttrAccount: "eve"]) == errSecDuplicateItem)
    #expect(secret(password("ada")) == letter)
    #expect(secret(password("bob")) == otherLetter)
    #expect(find(password("eve")).status == errSecItemNotFound)
  }

  @Test("an update to the same key is none to another item")
  func sameKey() {
    #expect(add(password("ada")).status == errSecSuccess)
    #expect(update(password("ada"), [kSecAttrAccount: "ada", kSecValueData: letter]) == errSecSuccess)
    #expect(secret(password("ada")) == letter)
  }

  @Test("the modification date becomes now, whatever the change says; the creation date can be set")
  func dates() throws {
    let past = Date(timeIntervalSinceReferenceDate: 1000)
    #expect(add(password("ada", [kSecAttrCreationDate: past])).status == errSecSuccess)
    let start = Date()
    #expect(update(password("ada"), [kSecAttrModificationDate: past, kSecAttrComment: "x"]) == errSecSuccess)
    let changed = try #require(attributes(password("ada")))
    #expect(changed["cdat"] as? Date == past)
    #expect(try #require(changed["mdat"] as? Date) >= start)
    let other = Date(timeIntervalSinceReferenceDate: 2000)
    #expect(update(password("ada"), [kSecAttrCreationDate: other]) == errSecSuccess)
    #expect(attributes(password("ada"))?["cdat"] as? Date == other)
  }

  @Test("an empty change is one: the modification date becomes now")
  func emptyChange() throws {
    #expect(add(password("ada")).status == errSecSuccess)
    let start = Date()
    #expect(update(password("ada"), [:]) == errSecSuccess)
    #expect(try #require(attributes(password("ada"))?["mdat"] as? Date) >= start)
    #expect(update(password("bob"), [:]) == errSecItemNotFound)
  }

  @Test("Attributes that an update does not name stay")
  func restStays() throws {
    let item = password("ada", [kSecValueData: letter, kSecAttrLabel: "label", kSecAttrGeneric: Data([1])])
    #expect(add(item).status == errSecSuccess)
    #expect(update(password("ada"), [kSecAttrComment: "comment"]) == errSecSuccess)
    let found = try #require(attributes(password("ada")))
    #expect(found["labl"] as? String == "label")
    #expect(found["gena"] as? Data == Data([1]))
    #expect(found["icmt"] as? String == "comment")
    #expect(secret(password("ada")) == letter)
  }

  @Test("data can become empty, but not nothing")
  func emptyData() {
    #expect(add(password("ada", [kSecValueData: letter])).status == errSecSuccess)
    #expect(update(password("ada"), [kSecValueData: Data()]) == errSecSuccess)
    #expect(secret(password("ada")) == Data())
  }

  @Test("an update gives another accessibility, and its access control")
  func accessibility() throws {
    #expect(add(password("ada", [kSecValueData: letter])).status == errSecSuccess)
    #expect(update(password("ada"), [kSecAttrAccessible: kSecAttrAccessibleAlways]) == errSecSuccess)
    let found = try #require(attributes(password("ada")))
    #expect(found["pdmn"] as? String == "dk")
    #expect(found["accc"] as? SecAccessControl == SecAccessControlCreateWithFlags(nil, "dk" as CFString, [], nil))
    #expect(secret(password("ada")) == letter)
    #expect(update(password("ada"), [kSecAttrAccessible: "akpu"]) == errSecAuthFailed)
  }

  @Test(
    "an update that asks for anything back is refused",
    arguments: ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"])
  func returns(name: String) {
    #expect(add(password("ada")).status == errSecSuccess)
    #expect(update(password("ada", [name as CFString: true]), [kSecAttrComment: "x"]) == errSecParam)
    #expect(attributes(password("ada"))?["icmt"] == nil)
    #expect(update(password("ada", [name as CFString: false]), [kSecAttrComment: "x"]) == errSecSuccess)
  }

  @Test("nothing to update is not found, and is not added")
  func nothingThere() {
    #expect(update(password("ada"), [kSecValueData: letter]) == errSecItemNotFound)
    #expect(count(all) == 0)
  }

  @Test("An update by persistent reference accepts no other attribute but the class")
  func byReference() throws {
    let reference = try #require(add(password("ada"), returning: [kSecReturnPersistentRef: true]).data)
    let change: Item = [kSecAttrComment: "x"]
    #expect(update([kSecValuePersistentRef: reference, kSecAttrAccount: "ada"], change) == errSecParam)
    #expect(update([kSecValuePersistentRef: reference, kSecAttrAccessGroup: "default"], change) == errSecParam)
    #expect(update([kSecValuePersistentRef: reference, kSecClass: kSecClassKey], change) == errSecNoSuchClass)
    #expect(update([kSecValuePersistentRef: reference, kSecClass: kSecClassGenericPassword], change) == errSecSuccess)
    #expect(attributes(password("ada"))?["icmt"] as? String == "x")
  }

  @Test("a certificate is relabeled by its reference")
  func certificate() {
    let ada: Item = [kSecValueRef: ItemCertificates.ada]
    #expect(add(ada).status == errSecSuccess)
    #expect(update(ada, [kSecAttrLabel: "mine"]) == errSecSuccess)
    #expect(find([kSecClass: kSecClassCertificate, kSecAttrLabel: "mine"]).status == errSecSuccess)
    #expect(find(ada).status == errSecSuccess, "the reference means the certificate under any label")
  }
}
