import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Rows 40 to 43 and 69 to 72: what calls return (Apple's si-78, si-80 and KeychainAPITests).
@Suite("Checklist: results", .temporaryKeychain)
struct ChecklistReturnTests {
  private let all: Item = [kSecMatchLimit: kSecMatchLimitAll]

  @Test("row 40: all, data and reference: an array of one dictionary")
  func allDictionaries() throws {
    #expect(add(password("ada", [kSecValueData: letter])).status == errSecSuccess)
    let wanted: Item = [kSecReturnData: true, kSecReturnPersistentRef: true]
    let found = try #require(find(password().merging(all) { $1 }, returning: wanted).dictionaries)
    #expect(found.count == 1)
    #expect(Set(found[0].keys) == ["v_Data", "v_PersistentRef"])
    #expect(found[0]["v_Data"] as? Data == letter)
  }

  @Test("row 41: all and data: an array of data")
  func allData() {
    #expect(add(password("ada", [kSecValueData: letter])).status == errSecSuccess)
    #expect(find(password().merging(all) { $1 }, returning: [kSecReturnData: true]).array as? [Data] == [letter])
  }

  @Test("row 42: all and persistent reference: an array of data")
  func allReferences() throws {
    let reference = try #require(add(password(), returning: [kSecReturnPersistentRef: true]).data)
    let found = find(password().merging(all) { $1 }, returning: [kSecReturnPersistentRef: true])
    #expect(found.array as? [Data] == [reference])
  }

  @Test("row 43: an item without data has none in its dictionary")
  func noData() throws {
    #expect(add(password()).status == errSecSuccess)
    let found = try #require(
      find(password(), returning: [kSecReturnAttributes: true, kSecReturnData: true]).dictionary)
    #expect(found["svce"] as? String == "post")
    #expect(found["acct"] as? String == "ada")
    #expect(found["v_Data"] == nil)
    #expect(secret(password()) == Data(), "asked for alone, it is empty")
  }

  @Test("row 69: a server given as data comes back as data")
  func serverAsData() throws {
    let server = Data("example.org".utf8)
    #expect(add(internetPassword("", [kSecAttrServer: server])).status == errSecSuccess)
    let found = try #require(attributes(internetPassword("", [kSecAttrServer: server])))
    #expect(found["srvr"] as? Data == server)
    #expect(!(found["srvr"] is String))
  }

  @Test("row 70: an internal key is refused by all four calls", arguments: ["clip", "musr", "tomb", "vwht", "UUID"])
  func internalKey(name: String) {
    #expect(add(password()).status == errSecSuccess)
    let odd = password("ada", [name as CFString: true])
    #expect(add(odd).status == errSecParam)
    #expect(find(odd).status == errSecParam)
    #expect(update(odd, [kSecAttrComment: "new"]) == errSecParam)
    #expect(update(password(), [name as CFString: true]) == errSecParam)
    #expect(delete(odd) == errSecParam)
    #expect(count(password()) == 1)
  }

  @Test("row 71: a password has no reference: the call succeeds and returns nothing")
  func passwordReference() {
    for item in [password(), internetPassword()] {
      let added = add(item, returning: [kSecReturnRef: true, kSecValueData: letter])
      #expect(added.status == errSecSuccess)
      #expect(added.object == nil)
      let found = find(item, returning: [kSecReturnRef: true])
      #expect(found.status == errSecSuccess)
      #expect(found.object == nil)
      let referred = item.merging([kSecValueRef: letter, kSecAttrLabel: "other"]) { $1 }
      #expect(add(referred).status == errSecParam)
    }
  }

  @Test("row 72: an add that asks for attributes returns a dictionary")
  func addReturnsAttributes() throws {
    let added = try #require(
      add(password("ada", [kSecValueData: letter]), returning: [kSecReturnAttributes: true]).dictionary)
    #expect(added["acct"] as? String == "ada")
    #expect(added["pdmn"] as? String == "ak")
    #expect(added["sync"] as? Int == 0)
    #expect(added["cdat"] as? Date != nil)
    #expect(added["cdat"] as? Date == added["mdat"] as? Date)
    #expect(added["v_Data"] == nil)
    #expect(added["class"] == nil)
  }
}
