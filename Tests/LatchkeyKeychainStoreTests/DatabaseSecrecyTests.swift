import LatchkeyTestSupport
import Foundation
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

@Suite("Secrecy of the file") struct DatabaseSecrecyTests {
  @Test("No file holds a secret or an attribute") func noFileHoldsASecretOrAnAttribute() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    var item = NewItem.password("account-in-clear", "service-in-clear", data: "secret-in-clear")
    item.attributes[.label] = .text("label-in-clear")
    item.attributes[.generic] = .bytes(Array("generic-in-clear".utf8))
    try store.add(item, as: Entitlements(accessGroups: ["group-in-clear"]))
    try store.update(
      .password("account-in-clear", "service-in-clear"), with: ItemChanges(data: Array("other-in-clear".utf8)),
      as: Entitlements(accessGroups: ["group-in-clear"]))
    try store.setPasscode(Array("passcode-in-clear".utf8), current: nil)
    _ = failure { () throws(StoreError) in try store.unlock(passcode: Array("wrong-in-clear".utf8)) }
    try store.delete(
      .password("account-in-clear", "service-in-clear"), as: Entitlements(accessGroups: ["group-in-clear"]))
    try store.add(item, as: Entitlements(accessGroups: ["group-in-clear"]))
    func search(_ when: Comment) throws {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        let contents = try #require(FileManager.default.contents(atPath: folder.path + "/" + name))
        #expect(contents.range(of: Data("in-clear".utf8)) == nil, "\(when.rawValue): \(name)")
        // The test itself can see: the table's name is there.
        if name == "keychain.db-wal", !contents.isEmpty { #expect(contents.range(of: Data("agrp_tag".utf8)) != nil) }
      }
    }
    try search("open")
    store.close()
    try search("closed")
  }

  @Test("Closing empties the write-ahead log and does not delete it") func closingEmptiesTheLogAndKeepsIt() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.add(.password("a"), as: me)
    _ = try store.find(.all(), as: me)
    store.close()
    let log = try FileManager.default.attributesOfItem(atPath: folder.database + "-wal")[.size] as? Int
    #expect(log == 0)
  }

  @Test("Equal items look different and lengths are rounded") func equalItemsLookDifferentAndLengthsAreRounded() throws
  {
    let folder = try StoreFolder()
    let store = try folder.open()
    for (name, data) in [("a", "1234"), ("b", "1234"), ("c", "12345678")] {
      try store.add(.password(name, data: data), as: me)
    }
    let data: [Data] = try folder.ask("SELECT data FROM item ORDER BY id")
    #expect(Set(data).count == 3)
    #expect(Set(data.map(\.count)) == [44])
  }

  @Test("Every change of the value has a key of its own") func everyChangeOfTheValueHasAKeyOfItsOwn() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.add(.password("a"), as: me)
    var keys: [Data] = try folder.ask("SELECT wrapped_dek FROM item")
    for _ in 0..<3 {
      try store.update(.password("a"), with: ItemChanges(data: Array("secret".utf8)), as: me)
      keys += try folder.ask("SELECT wrapped_dek FROM item") as [Data]
    }
    #expect(Set(keys).count == 4)
    let versions: [Int] = try folder.ask("SELECT ver FROM item")
    #expect(versions == [4])
  }

  @Test("Errors contain no secret") func errorsContainNoSecret() throws {
    let store = try StoreFolder().open()
    let item = NewItem.password("account-in-clear", "service-in-clear", data: "secret-in-clear")
    try store.add(item, as: me)
    var wrong = item
    wrong.attributes[.creator] = .bytes(Array("creator-in-clear".utf8))
    for error in [
      failure({ () throws(StoreError) in try store.add(item, as: me) }),
      failure({ () throws(StoreError) in try store.add(wrong, as: me) }),
      failure({ () throws(StoreError) in try store.setPasscode(Array("in-clear".utf8.prefix(3)), current: nil) }),
    ] {
      #expect("\(String(describing: error))".contains("in-clear") == false)
    }
  }
}
