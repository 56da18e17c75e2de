import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Identities: a certificate and its private key, joined when they are asked for.
@Suite("Identities", .temporaryKeychain)
struct SecItemIdentityTests {
  private let identity: Item = [kSecClass: kSecClassIdentity]

  /// Ada's private key, as far as an item knows of it.
  private func adasKey(_ more: Item = [:]) -> Item {
    let private_: Item = ["priv": 1, kSecAttrApplicationLabel: ItemCertificates.adasKeyHash, kSecValueData: letter]
    return key("ada", private_.merging(more) { $1 })
  }

  private func addIdentity() {
    #expect(add([kSecValueRef: ItemCertificates.authority]).status == errSecSuccess)
    #expect(add([kSecValueRef: ItemCertificates.ada]).status == errSecSuccess)
    #expect(add(adasKey()).status == errSecSuccess)
  }

  @Test("a certificate and its private key are an identity; a certificate alone is none")
  func joined() {
    #expect(add([kSecValueRef: ItemCertificates.ada]).status == errSecSuccess)
    #expect(find(identity).status == errSecItemNotFound)
    #expect(add(adasKey()).status == errSecSuccess)
    #expect(find(identity).status == errSecSuccess)
    #expect(count(identity) == 1)
  }

  @Test("neither a public key nor another's makes an identity")
  func notJoined() {
    #expect(add([kSecValueRef: ItemCertificates.ada]).status == errSecSuccess)
    #expect(add(adasKey(["priv": 0])).status == errSecSuccess)
    #expect(find(identity).status == errSecItemNotFound)
    let other = adasKey([kSecAttrApplicationLabel: Data(count: 20), kSecAttrApplicationTag: Data([2])])
    #expect(add(other).status == errSecSuccess)
    #expect(find(identity).status == errSecItemNotFound)
  }

  @Test("its attributes are those of both, its data the key's, its reference one of its own")
  func results() throws {
    addIdentity()
    let all: Item = [kSecReturnAttributes: true, kSecReturnData: true, kSecReturnPersistentRef: true]
    let found = try #require(find(identity, returning: all).dictionary)
    #expect(found["labl"] as? String == "Ada Lovelåce")
    #expect(found["bsiz"] as? Int == 256)
    #expect(found["pkhh"] as? Data == found["klbl"] as? Data)
    #expect(found["v_Data"] as? Data == letter)
    let reference = try #require(found["v_PersistentRef"] as? Data)
    #expect(reference.prefix(4) == Data("idnt".utf8))
    #expect(find([kSecValuePersistentRef: reference], returning: [kSecReturnData: true]).data == letter)
  }

  @Test("an identity whose key's data is no key has no object")
  func unreadableKey() {
    addIdentity()
    let answer = find(identity, returning: [kSecReturnRef: true])
    #expect(answer.status == errSecDecode)
    #expect(answer.object == nil)
  }

  @Test("a label is the certificate's")
  func label() {
    addIdentity()
    #expect(find(identity.merging([kSecAttrLabel: "Ada Lovelåce"]) { $1 }).status == errSecSuccess)
    #expect(update(key("ada"), [kSecAttrLabel: "key"]) == errSecSuccess)
    #expect(find(identity.merging([kSecAttrLabel: "Ada Lovelåce"]) { $1 }).status == errSecSuccess)
    #expect(update([kSecValueRef: ItemCertificates.ada], [kSecAttrLabel: "certificate"]) == errSecSuccess)
    #expect(find(identity.merging([kSecAttrLabel: "Ada Lovelåce"]) { $1 }).status == errSecItemNotFound)
  }

  @Test("a key's attribute, a certificate's and a match each narrow the search")
  func narrowed() {
    addIdentity()
    #expect(find(identity.merging([kSecAttrApplicationTag: Data("ada".utf8)]) { $1 }).status == errSecSuccess)
    #expect(find(identity.merging([kSecAttrApplicationTag: Data("x".utf8)]) { $1 }).status == errSecItemNotFound)
    #expect(find(identity.merging([kSecAttrSerialNumber: Data([0x10, 2])]) { $1 }).status == errSecSuccess)
    #expect(find(identity.merging([kSecAttrSerialNumber: Data([1])]) { $1 }).status == errSecItemNotFound)
    #expect(find(identity.merging([kSecMatchSubjectStartsWith: "Ada"]) { $1 }).status == errSecSuccess)
    #expect(find(identity.merging([kSecMatchSubjectStartsWith: "Bob"]) { $1 }).status == errSecItemNotFound)
    #expect(find(identity.merging([kSecAttrApplicationLabel: Data(count: 20)]) { $1 }).status == errSecItemNotFound)
    #expect(find(identity.merging(["priv": 0]) { $1 }).status == errSecItemNotFound)
    #expect(find(identity.merging([kSecAttrServer: "x"]) { $1 }).status == errSecNoSuchAttr)
  }

  @Test("An update of an identity updates both of its items, so both must have the attributes that it changes")
  func updateBoth() {
    addIdentity()
    #expect(update(identity, [kSecAttrLabel: "both"]) == errSecSuccess)
    #expect(find(key("ada", [kSecAttrLabel: "both"])).status == errSecSuccess)
    #expect(find([kSecClass: kSecClassCertificate, kSecAttrLabel: "both"]).status == errSecSuccess)
    #expect(count([kSecClass: kSecClassCertificate, kSecAttrLabel: "both"]) == 1, "the authority keeps its label")
    #expect(update(identity, [kSecAttrApplicationTag: Data([1])]) == errSecNoSuchAttr)
    #expect(update(identity, [kSecAttrSubject: Data([1])]) == errSecNoSuchAttr)
  }

  @Test("a delete of an identity removes its certificate and its key, and no other")
  func deleteBoth() {
    addIdentity()
    #expect(delete(identity) == errSecSuccess)
    #expect(find(key("ada")).status == errSecItemNotFound)
    #expect(find([kSecValueRef: ItemCertificates.ada]).status == errSecItemNotFound)
    #expect(find([kSecValueRef: ItemCertificates.authority]).status == errSecSuccess)
    #expect(delete(identity) == errSecItemNotFound)
  }

  @Test("an identity is not added by attributes: there is no such item")
  func addNone() {
    #expect(add(identity.merging([kSecAttrLabel: "x", kSecValueData: letter]) { $1 }).status == errSecParam)
  }
}
