import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Three ways to ask, two kinds of items, four calls: `kSecAttrSynchronizable` in all of them.
@Suite("Synchronizable", .temporaryKeychain)
struct SecItemSynchronizableTests {
  /// The value in a query, and which of the two items it means: bit 0 the one that is not, bit 1 the one that is.
  struct Way: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let value: @Sendable () -> Any?
    let means: Int
  }

  static let ways: [Way] = [
    Way(testDescription: "nothing", value: { nil }, means: 1),
    Way(testDescription: "false", value: { false }, means: 1),
    Way(testDescription: "0", value: { 0 }, means: 1),
    Way(testDescription: "\"0\"", value: { "0" }, means: 1),
    Way(testDescription: "true", value: { true }, means: 2),
    Way(testDescription: "1", value: { 1 }, means: 2),
    Way(testDescription: "2", value: { 2 }, means: 2),
    Way(testDescription: "\"1\"", value: { "1" }, means: 2),
    Way(testDescription: "any", value: { kSecAttrSynchronizableAny }, means: 3),
  ]

  private func query(_ way: Way) -> Item {
    var query = password("ada")
    query[kSecAttrSynchronizable] = way.value()
    return query
  }

  private func addBoth() {
    #expect(SecurityTests.add(password("ada", [kSecValueData: Data([1])])).status == errSecSuccess)
    #expect(
      SecurityTests.add(password("ada", [kSecAttrSynchronizable: true, kSecValueData: Data([2])])).status
        == errSecSuccess)
  }

  @Test("a search means what it says", arguments: ways)
  func find(way: Way) {
    addBoth()
    let found = SecurityTests.find(
      query(way), returning: [kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true])
    let wanted = [Data([1]), Data([2])].enumerated().filter { way.means >> $0.offset & 1 == 1 }.map(\.element)
    #expect(found.array as? [Data] == wanted)
  }

  @Test("an update means what it says", arguments: ways)
  func update(way: Way) {
    addBoth()
    #expect(SecurityTests.update(query(way), [kSecAttrComment: "new"]) == errSecSuccess)
    let changed = SecurityTests.find(
      password("ada", [kSecAttrComment: "new", kSecAttrSynchronizable: kSecAttrSynchronizableAny]),
      returning: [kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true])
    #expect(changed.array?.count == way.means.nonzeroBitCount)
  }

  @Test("a delete means what it says", arguments: ways)
  func delete(way: Way) {
    addBoth()
    #expect(SecurityTests.delete(query(way)) == errSecSuccess)
    #expect(
      count(password("ada", [kSecAttrSynchronizable: kSecAttrSynchronizableAny])) == 2 - way.means.nonzeroBitCount)
    #expect(SecurityTests.find(query(way)).status == errSecItemNotFound)
  }

  @Test("an add makes one or the other; of those that say any, one that is not", arguments: ways)
  func add(way: Way) {
    let added = SecurityTests.add(query(way), returning: [kSecReturnAttributes: true])
    #expect(added.status == errSecSuccess)
    #expect(added.dictionary?["sync"] as? Int == (way.means == 2 ? 1 : 0))
  }

  @Test("an item becomes synchronizable, unless there is one already")
  func becomes() {
    #expect(SecurityTests.add(password("ada")).status == errSecSuccess)
    #expect(SecurityTests.update(password("ada"), [kSecAttrSynchronizable: true]) == errSecSuccess)
    #expect(SecurityTests.find(password("ada")).status == errSecItemNotFound)
    #expect(SecurityTests.add(password("ada")).status == errSecSuccess)
    #expect(SecurityTests.update(password("ada"), [kSecAttrSynchronizable: true]) == errSecDuplicateItem)
    #expect(SecurityTests.update(password("ada"), [kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == errSecSuccess)
    #expect(count(password("ada")) == 1)
  }

  @Test("a persistent reference finds its item, synchronizable or not")
  func byReference() throws {
    let item = password("ada", [kSecAttrSynchronizable: true, kSecValueData: letter])
    let reference = try #require(SecurityTests.add(item, returning: [kSecReturnPersistentRef: true]).data)
    #expect(secret([kSecValuePersistentRef: reference]) == letter)
    #expect(secret([kSecValuePersistentRef: reference, kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == letter)
    let odd: Item = [kSecValuePersistentRef: reference, kSecAttrSynchronizable: false]
    #expect(SecurityTests.find(odd).status == errSecParam)
  }
}
