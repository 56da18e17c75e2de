import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Every combination of `kSecReturn…`, for each class, from an add and from searches of one and of all.
@Suite("Results of calls", .temporaryKeychain)
struct SecItemReturnTests {
  private static var flags: [CFString] {
    [kSecReturnData, kSecReturnAttributes, kSecReturnRef, kSecReturnPersistentRef]
  }

  private static func returning(_ bits: Int) -> Item {
    Dictionary(uniqueKeysWithValues: flags.enumerated().map { ($1, bits >> $0 & 1 == 1) })
  }

  /// Items to add and to find, by class.
  private static func item(_ itemClass: String) -> Item {
    switch itemClass {
    case "genp": password("ada", [kSecValueData: letter])
    case "inet": internetPassword("example.org", [kSecValueData: letter])
    case "keys": key("tag", [kSecValueData: keyData])
    default: [kSecValueRef: ItemCertificates.ada]
    }
  }

  private static let secretKey = IdentityFixture.evesKey
  private static let keyData = SecKeyCopyExternalRepresentation(secretKey, nil).map { $0 as Data } ?? Data()

  /// The object that a result with a reference has, and its data.
  private static func value(_ itemClass: String) -> (object: AnyHashable?, data: Data) {
    switch itemClass {
    case "cert": (ItemCertificates.ada, SecCertificateCopyData(ItemCertificates.ada) as Data)
    case "keys": (secretKey, keyData)
    default: (nil, letter)
    }
  }

  private static func query(_ itemClass: String) -> Item { [kSecClass: itemClass as CFString] }

  /// Checks one result against what was asked for.
  private func check(_ object: CFTypeRef?, _ itemClass: String, _ bits: Int) {
    let (data, attributes, reference, persistent) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0, bits & 8 != 0)
    let (wanted, secret) = Self.value(itemClass)
    switch bits {
    case 0: #expect(object == nil)
    case 1: #expect(object as? Data == secret)
    case 4: #expect(object as? AnyHashable == wanted)
    case 8: #expect((object as? Data)?.prefix(4) == Data(itemClass.utf8))
    default:
      let dictionary = object as? [String: Any] ?? [:]
      #expect(dictionary["v_Data"] as? Data == (data ? secret : nil))
      #expect(dictionary["v_Ref"] as? AnyHashable == (reference ? wanted : nil))
      #expect((dictionary["v_PersistentRef"] != nil) == persistent)
      #expect(dictionary["class"] as? String == (attributes && reference ? itemClass : nil))
      #expect((dictionary["agrp"] as? String != nil) == attributes)
      #expect((dictionary["accc"] is SecAccessControl) == attributes)
      #expect((dictionary["mdat"] is Date) == attributes)
    }
  }

  @Test(
    "what is asked for comes, in its shape, and nothing else", arguments: ["genp", "inet", "cert", "keys"], 0..<16)
  func combination(itemClass: String, bits: Int) {
    let returning = Self.returning(bits)
    let added = add(Self.item(itemClass), returning: returning)
    #expect(added.status == errSecSuccess)
    check(added.object, itemClass, bits)
    let one = find(Self.query(itemClass), returning: returning)
    let all = find(Self.query(itemClass).merging([kSecMatchLimit: kSecMatchLimitAll]) { $1 }, returning: returning)
    for answer in [one, all] { #expect(answer.status == errSecSuccess) }
    check(one.object, itemClass, bits)
    if bits == 0 || (bits == 4 && Self.value(itemClass).object == nil) {
      #expect(all.object == nil)
    } else {
      #expect(all.array?.count == 1)
      check(all.array?.first as CFTypeRef?, itemClass, bits)
    }
  }

  @Test("results may be asked for without a place for them")
  func noPlace() {
    let all: Item = [kSecReturnData: true, kSecReturnAttributes: true]
    #expect(SecItemAdd(password("ada", all) as CFDictionary, nil) == errSecSuccess)
    #expect(SecItemCopyMatching(password("ada", all) as CFDictionary, nil) == errSecSuccess)
    #expect(SecItemCopyMatching(password("bob", all) as CFDictionary, nil) == errSecItemNotFound)
  }

  @Test("a limit of 1 is one object, a limit above an array")
  func limits() {
    for account in ["ada", "bob", "eve"] {
      #expect(add(password(account, [kSecValueData: Data(account.utf8)])).status == errSecSuccess)
    }
    let query: Item = [kSecClass: kSecClassGenericPassword, kSecReturnData: true]
    let names = ["ada", "bob", "eve"].map { Data($0.utf8) }
    #expect(find(query).data == names[0])
    #expect(find(query, returning: [kSecMatchLimit: 1]).data == names[0])
    #expect(find(query, returning: [kSecMatchLimit: kSecMatchLimitOne]).data == names[0])
    #expect(find(query, returning: [kSecMatchLimit: 2]).array as? [Data] == Array(names[..<2]))
    #expect(find(query, returning: [kSecMatchLimit: Int.max]).array as? [Data] == names)
    #expect(find(query, returning: [kSecMatchLimit: kSecMatchLimitAll]).array as? [Data] == names)
  }

  @Test("nothing found is never an empty array")
  func neverEmpty() {
    let answer = find(password(), returning: [kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true])
    #expect(answer.status == errSecItemNotFound)
    #expect(answer.object == nil)
  }

  @Test("flags may be the numbers 0 and 1")
  func numbersAsFlags() {
    #expect(add(password("ada", [kSecValueData: letter])).status == errSecSuccess)
    #expect(find(password(), returning: [kSecReturnData: 1, kSecReturnAttributes: 0]).data == letter)
  }

  @Test("results are Foundation's own objects, and cast as such")
  func casts() throws {
    #expect(add(password("ada", [kSecValueData: letter, kSecAttrType: 7])).status == errSecSuccess)
    let all: Item = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true, kSecReturnData: true]
    let object = try #require(find(password(), returning: all).object)
    #expect(object is NSArray)
    #expect((object as? [[String: Any]])?.count == 1)
    #expect((object as? [NSDictionary])?.count == 1)
    #expect((object as? [[AnyHashable: Any]])?.first?["acct"] as? String == "ada")
    let entry = try #require((object as? [NSDictionary])?.first)
    #expect(entry[kSecAttrAccount] as? String == "ada")
    #expect(entry[kSecAttrSynchronizable as String] as? Bool == false)
    #expect(entry[kSecAttrType] as? Int == 7)
    #expect(entry[kSecAttrCreationDate] as? Date != nil)
    #expect(entry[kSecValueData] as? Data == letter)
  }

  @Test("a certificate that cannot be read has no reference, and says so")
  func unreadableCertificate() {
    let item: Item = [kSecClass: kSecClassCertificate, kSecAttrLabel: "odd", kSecValueData: letter]
    #expect(add(item).status == errSecSuccess)
    let answer = find([kSecClass: kSecClassCertificate], returning: [kSecReturnRef: true])
    #expect(answer.status == errSecDecode)
    #expect(answer.object == nil)
    #expect(secret([kSecClass: kSecClassCertificate]) == letter)
    let other: Item = [kSecClass: kSecClassCertificate, kSecAttrSerialNumber: Data([1]), kSecValueData: letter]
    #expect(add(other, returning: [kSecReturnRef: true]).status == errSecDecode)
    #expect(count([kSecClass: kSecClassCertificate]) == 1, "what fails adds nothing")
  }
}
