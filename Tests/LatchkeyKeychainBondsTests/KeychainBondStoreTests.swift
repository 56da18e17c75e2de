import Dispatch
import Foundation
import LatchkeyBluetoothHost
import LatchkeyKeychainTesting
import LatchkeySwiftTesting
import Security
import Testing

@testable import LatchkeyKeychainBonds

@Suite("Bonds in the keychain", .temporaryKeychain) struct KeychainBondStoreTests {
  private func store(_ local: UInt64 = 1, group: String? = nil, capacity: Int = 1024) -> KeychainBondStore {
    KeychainBondStore(local: .staticRandom(local), accessGroup: group, capacity: capacity)
  }

  private func stored(_ local: UInt64 = 1) throws -> Set<BluetoothAddress> {
    Set(try store(local).load().map(\.identity))
  }

  @Test("are there for the next process, one for each peer, until they are removed") func keeps() throws {
    #expect(try store().load() == [])
    try store().save(try SampleBonds.bond(2))
    try store().save(try SampleBonds.bond(3))
    try store().save(try SampleBonds.bond(2, key: 9))
    #expect(try store().load() == [try SampleBonds.bond(2, key: 9), try SampleBonds.bond(3)])
    try store().remove(.staticRandom(3))
    try store().remove(.staticRandom(99))
    #expect(try store().load() == [try SampleBonds.bond(2, key: 9)])
  }

  @Test("come back whole: legacy keys of both roles, identities, signing keys, subscriptions") func whole() throws {
    let bond = try SampleBonds.fullBond(5)
    try store().save(bond)
    #expect(try store().load() == [bond])
  }

  @Test("are items that say what they are, of this device alone, readable after the first unlock") func attributes()
    throws
  {
    try store().save(try SampleBonds.bond(2))
    let item = try #require(RawItems.all().first)
    #expect(item[kSecAttrAccount] as? String == "C0:00:00:00:00:01 random / C0:00:00:00:00:02 random")
    #expect(item[kSecAttrLabel] as? String == "Bluetooth pairing with C0:00:00:00:00:02")
    #expect(
      item[kSecAttrAccessible] as? String == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String)
    #expect(item[kSecAttrSynchronizable] as? Int == 0)
    #expect((item[kSecAttrGeneric] as? Data)?.count == 16)
    let entry = StoredBonds.Entry(local: .staticRandom(1), bond: try SampleBonds.bond(2))
    #expect(item[kSecValueData] as? Data == Data(StoredBonds.encode([entry])))
  }

  @Test("of a public and of a random address with the same digits are two") func kinds() throws {
    var bond = try SampleBonds.bond(2)
    try store().save(bond)
    bond.identity = BluetoothAddress(bond.identity.value, kind: .public)
    bond.knownAddress = bond.identity
    try store().save(bond)
    #expect(try store().load().count == 2)
    try store().remove(bond.identity)
    #expect(try store().load() == [try SampleBonds.bond(2)])
  }

  @Test("belong to one own address") func addresses() throws {
    try store(1).save(try SampleBonds.bond(5))
    try store(2).save(try SampleBonds.bond(5, key: 2))
    try store(2).remove(.staticRandom(5))
    #expect(try store(1).load() == [try SampleBonds.bond(5)])
    #expect(try store(2).load() == [])
  }

  @Test("get what is kept of a peer only while they are stored with the same keys") func updates() throws {
    var known = try SampleBonds.bond(2)
    known.client = SampleBonds.client
    // There is none: it was removed.
    try store().update(known)
    #expect(RawItems.all().isEmpty)
    try store().save(try SampleBonds.bond(2))
    try store().save(try SampleBonds.bond(3))
    try store().update(known)
    #expect(try store().load() == [known, try SampleBonds.bond(3)])
    // Another program paired anew.
    try store().save(try SampleBonds.bond(2, key: 9))
    try store().update(known)
    try store(2).update(try SampleBonds.bond(3))
    #expect(try store().load() == [try SampleBonds.bond(2, key: 9), try SampleBonds.bond(3)])
  }

  @Test("are not updated in an item that another process replaced after it was read") func faster() throws {
    let items = BondItems(service: BondItems.service, accessGroup: nil)
    let account = RawItems.account(2)
    try store().save(try SampleBonds.bond(2))
    let old = try #require(try items.content(of: account)).revision
    try store().save(try SampleBonds.bond(2, key: 9))
    var bytes: [UInt8] = [1]
    #expect(try items.update(account, revision: old, &bytes) == false)
    #expect(try store().load() == [try SampleBonds.bond(2, key: 9)])
    let new = try #require(try items.content(of: account)).revision
    #expect(new != old)
    #expect(try items.update(account, revision: new, &bytes))
  }

  @Test("are 1024 at most, of all own addresses; in place of an older one there is room") func capacity() throws {
    for number in 2...4 { try store(capacity: 3).save(try SampleBonds.bond(UInt64(number))) }
    #expect(throws: KeychainBondError.full) { try store(capacity: 3).save(try SampleBonds.bond(5)) }
    #expect(throws: KeychainBondError.full) { try store(9, capacity: 3).save(try SampleBonds.bond(2)) }
    try store(capacity: 3).save(try SampleBonds.bond(4, key: 7))
    #expect(try store().load().last == (try SampleBonds.bond(4, key: 7)))
    try store().remove(.staticRandom(2))
    try store(capacity: 3).save(try SampleBonds.bond(5))
    #expect(try store().load().count == 3)
    #expect(StoredBonds.capacity == 1024)
    #expect("\(KeychainBondError.full)".contains("has 1024 pairings: remove some"))
  }

  @Test("are not lost when many save, update and remove at the same time") func processes() throws {
    let keychain = try #require(TemporaryKeychain.current)
    let bonds = try (1...20).map { try SampleBonds.bond(UInt64($0)) }
    // A store each, as processes have.
    DispatchQueue.concurrentPerform(iterations: 40) { index in
      keychain.use {
        let one = store(7)
        var bond = bonds[index % 20]
        try? one.save(bond)
        bond.client = SampleBonds.client
        try? one.update(bond)
        if index % 20 == 0 { try? one.remove(bond.identity) }
      }
    }
    #expect(try stored(7).isSuperset(of: bonds.dropFirst().map(\.identity)))
    #expect(RawItems.all().count == (try stored(7).count))
  }

  @Test("stay in their access group", .temporaryKeychain(accessGroups: ["one", "two"])) func groups() throws {
    try store(group: "two").save(try SampleBonds.bond(2))
    #expect(RawItems.all().map { $0[kSecAttrAccessGroup] as? String } == ["two"])
    #expect(try store(group: "one").load() == [])
    try store(group: "one").remove(.staticRandom(2))
    #expect(try store(group: "two").load() == [try SampleBonds.bond(2)])
    // Without a group it is any of the program's: the same device in two of them is one.
    try store(group: "one").save(try SampleBonds.bond(2))
    #expect(try store().load() == [try SampleBonds.bond(2)])
    #expect(throws: KeychainBondError.other(errSecMissingEntitlement)) {
      try store(group: "three").save(try SampleBonds.bond(2))
    }
  }
}
