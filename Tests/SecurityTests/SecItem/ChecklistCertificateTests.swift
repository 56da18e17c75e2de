import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Rows 1 to 15: a certificate added by reference (Apple's si-00 and si-05).
@Suite("Checklist: certificates", .temporaryKeychain)
struct ChecklistCertificateTests {
  private let ada: Item = [kSecValueRef: ItemCertificates.ada]

  @Test("row 1: nothing matches, and the result stays as it was")
  func nothingMatches() {
    for itemClass in [kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey] {
      let answer = find([kSecClass: itemClass], returning: [kSecReturnData: true])
      #expect(answer.status == errSecItemNotFound)
      #expect(answer.object == nil)
    }
    var result: CFTypeRef?
    #expect(
      SecItemCopyMatching([kSecClass: kSecClassIdentity, kSecReturnRef: true] as CFDictionary, &result) == -25300)
    #expect(result == nil)
  }

  @Test("row 2: a certificate is added by reference")
  func addByReference() {
    #expect(add(ada).status == errSecSuccess)
    #expect(count([kSecClass: kSecClassCertificate]) == 1)
  }

  @Test("row 3: the same certificate again is a duplicate")
  func addTwice() {
    #expect(add(ada).status == errSecSuccess)
    let again = add(ada, returning: [kSecReturnRef: true])
    #expect(again.status == errSecDuplicateItem)
    #expect(again.object == nil)
    #expect(count([kSecClass: kSecClassCertificate]) == 1)
  }

  @Test("row 4: the dictionary that added a certificate deletes it, and no other")
  func deleteByTheSameDictionary() {
    #expect(add(ada).status == errSecSuccess)
    #expect(add([kSecValueRef: ItemCertificates.bob]).status == errSecSuccess)
    #expect(delete(ada) == errSecSuccess)
    #expect(delete(ada) == errSecItemNotFound)
    #expect(find([kSecValueRef: ItemCertificates.bob]).status == errSecSuccess)
  }

  @Test("row 5: an add that asks for nothing returns nothing")
  func addReturnsNothing() {
    let answer = add(ada)
    #expect(answer.status == errSecSuccess)
    #expect(answer.object == nil)
  }

  @Test("row 6: an add returns a persistent reference")
  func addReturnsPersistentReference() throws {
    let reference = try #require(add(ada, returning: [kSecReturnPersistentRef: true]).data)
    #expect(reference.count == 20)
    #expect(reference.prefix(4) == Data("cert".utf8))
  }

  @Test("row 7: an add returns an equal certificate")
  func addReturnsReference() {
    #expect(add(ada, returning: [kSecReturnRef: true]).object as? SecCertificate == ItemCertificates.ada)
  }

  @Test("row 8: an add returns the certificate's DER")
  func addReturnsData() {
    let der = SecCertificateCopyData(ItemCertificates.ada) as Data
    #expect(add(ada, returning: [kSecReturnData: true]).data == der)
  }

  @Test("row 9: attributes returned hold no values")
  func addReturnsAttributes() throws {
    let attributes = try #require(add(ada, returning: [kSecReturnAttributes: true]).dictionary)
    for key in [kSecValueData, kSecValueRef, kSecValuePersistentRef, kSecClass] {
      #expect(attributes[key as String] == nil, "\(key)")
    }
  }

  @Test("row 10: attributes returned hold the certificate's type and encoding")
  func attributesOfCertificate() throws {
    let attributes = try #require(add(ada, returning: [kSecReturnAttributes: true]).dictionary)
    #expect(attributes[kSecAttrCertificateType as String] is NSNumber)
    #expect(attributes[kSecAttrCertificateEncoding as String] as? Int == 3)
    #expect(attributes[kSecAttrSerialNumber as String] as? Data == Data([0x10, 0x02]))
    #expect(attributes[kSecAttrPublicKeyHash as String] as? Data == ItemCertificates.adasKeyHash)
    #expect(attributes[kSecAttrSubjectKeyID as String] as? Data == ItemCertificates.adasKeyHash)
    #expect(attributes[kSecAttrLabel as String] as? String == "Ada Lovelåce")
    #expect(attributes[kSecAttrAccessible as String] as? String == kSecAttrAccessibleAlways as String)
  }

  @Test("row 11: all that can be returned comes in one dictionary")
  func addReturnsAll() throws {
    let all: Item = [
      kSecReturnData: true, kSecReturnAttributes: true, kSecReturnRef: true, kSecReturnPersistentRef: true,
    ]
    let dictionary = try #require(add(ada, returning: all).dictionary)
    #expect(dictionary[kSecValueData as String] as? Data == SecCertificateCopyData(ItemCertificates.ada) as Data)
    #expect(dictionary[kSecValueRef as String] as? SecCertificate == ItemCertificates.ada)
    #expect((dictionary[kSecValuePersistentRef as String] as? Data)?.count == 20)
    #expect(dictionary[kSecClass as String] as? String == "cert")
    #expect(dictionary[kSecAttrCertificateType as String] != nil)
  }

  @Test("row 12: a key's attribute is unknown to a certificate that is added")
  func addWithUnknownAttribute() {
    #expect(add(ada.merging([kSecAttrApplicationTag: Data([1])]) { $1 }).status == errSecNoSuchAttr)
    #expect(count([kSecClass: kSecClassCertificate]) == 0)
  }

  @Test("row 13: a key's attribute is unknown to a certificate that is deleted")
  func deleteWithUnknownAttribute() {
    #expect(add(ada).status == errSecSuccess)
    #expect(delete(ada.merging([kSecAttrApplicationTag: Data([1])]) { $1 }) == errSecNoSuchAttr)
    #expect(count([kSecClass: kSecClassCertificate]) == 1)
  }

  @Test("row 14: a certificate can be synchronizable, and is deleted as such")
  func synchronizableCertificate() {
    let synchronizable = ada.merging([kSecAttrSynchronizable: true]) { $1 }
    #expect(add(synchronizable).status == errSecSuccess)
    #expect(delete(ada) == errSecItemNotFound)
    #expect(delete(synchronizable) == errSecSuccess)
  }

  @Test("row 15: the data found by a returned reference is the data added")
  func findByReturnedReference() throws {
    let reference = try #require(add(ada, returning: [kSecReturnPersistentRef: true]).data)
    let data = secret([kSecValuePersistentRef: reference])
    #expect(data == SecCertificateCopyData(ItemCertificates.ada) as Data)
  }
}
