import CoreBluetooth
import Foundation
import LatchkeyBluetoothHost
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import LatchkeyKeychainTesting
import LatchkeySwiftTesting
import Security
import Testing

@testable import LatchkeyKeychainBonds

@Suite("Bonds that the keychain does not give", .temporaryKeychain) struct KeychainBondRefusalTests {
  private let reports = Reports()

  private func store() -> KeychainBondStore {
    KeychainBondStore(local: .staticRandom(1)) { [reports] in reports.add($0) }
  }

  @Test(
    "are reported and passed over if their data were changed, at any length",
    arguments: [0, 1, 20, 40, -1, -2]) func damaged(_ change: Int) throws
  {
    try store().save(try SampleBonds.bond(2))
    try store().save(try SampleBonds.bond(3))
    var data = try RawItems.data(RawItems.account(2))
    switch change {
    case -1: data[25] ^= 1
    case -2: data.append(0)
    default: data = data.prefix(change)
    }
    RawItems.set([kSecValueData: data], RawItems.account(2))
    #expect(try store().load() == [try SampleBonds.bond(3)])
    #expect(reports.all.count == 1)
    #expect(reports.all.first?.hasPrefix("the keychain's item \"\(RawItems.account(2))\" is damaged (") == true)
    // It stays as it is until the devices pair again.
    #expect(try RawItems.data(RawItems.account(2)) == data)
    #expect(throws: KeychainBondError.self) { try store().update(try SampleBonds.bond(2)) }
    #expect(try RawItems.data(RawItems.account(2)) == data)
    try store().save(try SampleBonds.bond(2, key: 9))
    #expect(try store().load() == [try SampleBonds.bond(2, key: 9), try SampleBonds.bond(3)])
  }

  @Test("are damaged in the item of another device, or of another own address") func moved() throws {
    try store().save(try SampleBonds.bond(2))
    try store().save(try SampleBonds.bond(3))
    try KeychainBondStore(local: .staticRandom(4)).save(try SampleBonds.bond(5))
    RawItems.set([kSecValueData: try RawItems.data(RawItems.account(2))], RawItems.account(3))
    RawItems.set([kSecAttrAccount: RawItems.account(5)], RawItems.account(5, local: 4))
    #expect(try store().load() == [try SampleBonds.bond(2)])
    #expect(reports.all.count == 2)
    #expect(reports.all.allSatisfy { $0.contains("its pairing is another one") })
  }

  @Test("are damaged with two entries, with none, and under an account that names no device") func entries() throws {
    try store().save(try SampleBonds.bond(2))
    let entry = StoredBonds.Entry(local: .staticRandom(1), bond: try SampleBonds.bond(2))
    for entries in [[entry, entry], []] {
      RawItems.set([kSecValueData: Data(StoredBonds.encode(entries))], RawItems.account(2))
      #expect(try store().load() == [])
    }
    RawItems.set(
      [kSecValueData: Data(StoredBonds.encode([entry])), kSecAttrAccount: "C0:00:00:00:00:01 random / "],
      RawItems.account(2))
    #expect(try store().load() == [])
    #expect(reports.all.count == 3)
  }

  @Test("are damaged without their revision, and replaced by the next pairing") func noRevision() throws {
    try store().save(try SampleBonds.bond(2))
    let data = try RawItems.data(RawItems.account(2))
    #expect(SecItemDelete(RawItems.query() as CFDictionary) == errSecSuccess)
    let bare = RawItems.query(KeychainBonds.service, RawItems.account(2)).merging([kSecValueData: data]) { $1 }
    #expect(SecItemAdd(bare as CFDictionary, nil) == errSecSuccess)
    #expect(try store().load() == [])
    #expect(reports.all.count == 1)
    try store().save(try SampleBonds.bond(2))
    #expect(try store().load() == [try SampleBonds.bond(2)])
  }

  @Test("are an error if a newer version of this program stored one, and all stay as they are") func newerVersion()
    throws
  {
    for number in [2, 3] as [UInt64] { try store().save(try SampleBonds.bond(number)) }
    var content = [UInt8](try RawItems.data(RawItems.account(2)).dropLast(32))
    content[4] = 200
    let data = Data(content + StoredFrame.digest(of: content))
    RawItems.set([kSecValueData: data], RawItems.account(2))
    let host = store()
    let error = #expect(throws: KeychainBondError.self) { try host.load() }
    guard case .newerVersion(account: RawItems.account(2), found: 200, known: _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reports.all == [])
    // The host does not know what is there, so it replaces nothing.
    #expect(throws: KeychainBondError.unread) { try host.save(try SampleBonds.bond(3, key: 9)) }
    #expect(try RawItems.data(RawItems.account(2)) == data)
    #expect(SecItemDelete(RawItems.query(KeychainBonds.service, RawItems.account(2)) as CFDictionary) == errSecSuccess)
    #expect(try host.load() == [try SampleBonds.bond(3)])
  }

  @Test("of other services and accounts are no business of a host") func strangers() throws {
    let accounts = ["ada", "C0:00:00:00:00:01 random", "C0:00:00:00:00:01 randomly / C0:00:00:00:00:02 random"]
    let others = [("another", RawItems.account(2))] + accounts.map { (KeychainBonds.service, $0) }
    for (service, account) in others {
      let item = RawItems.query(service, account).merging([kSecValueData: Data([1])]) { $1 }
      #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    }
    #expect(try store().load() == [])
    #expect(reports.all == [])
    try store().remove(.staticRandom(2))
    #expect(RawItems.all("another").count == 1)
  }

  /// The keychain of a test as the next process has it, before its first unlock.
  private func afterRestart(_ keychain: TemporaryKeychain) throws -> KeychainDatabase {
    var configuration = KeychainDatabase.Configuration(path: keychain.path)
    // As few as the keychain of a test has.
    configuration.scryptRounds = 16
    configuration.presence = PresenceConfiguration()
    configuration.engines = .software
    return try KeychainDatabase(configuration)
  }

  @Test("of a locked keychain are an error that says so, and nothing is replaced", .temporaryKeychain(passcode: "1234"))
  func locked() throws {
    let keychain = try #require(TemporaryKeychain.current)
    try store().save(try SampleBonds.bond(2))
    _ = try store().resolvingKey { try? SampleBonds.key(1) }
    // The screen locks: bonds are needed then, too.
    keychain.lock()
    #expect(try store().load() == [try SampleBonds.bond(2)])
    let database = try afterRestart(keychain)
    defer { database.close() }
    let session = KeychainSession(store: database, entitlements: keychain.entitlements)
    let host = store()
    try KeychainSession.$replacement.withValue(session) {
      let status = BondStores.$current.withValue(BondStores()) { KeychainBonds.use() }
      #expect(status == errSecInteractionNotAllowed)
      #expect(throws: KeychainBondError.locked) { try host.load() }
      #expect(throws: KeychainBondError.locked) { try host.save(try SampleBonds.bond(3)) }
      #expect(throws: KeychainBondError.locked) { try host.update(try SampleBonds.bond(2)) }
      #expect(throws: KeychainBondError.locked) { try host.remove(.staticRandom(2)) }
      #expect(throws: KeychainBondError.locked) { try host.resolvingKey { try? SampleBonds.key(2) } }
      #expect("\(KeychainBondError.locked)".contains("unlock it, then start this program again"))
      // Unlocked later: the host does not know the bond with 2, so it does not replace it.
      try database.unlock(passcode: Array("1234".utf8))
      #expect(throws: KeychainBondError.unread) { try host.save(try SampleBonds.bond(2, key: 9)) }
      try host.save(try SampleBonds.bond(3))
      #expect(try host.load() == [try SampleBonds.bond(2), try SampleBonds.bond(3)])
      #expect(try host.resolvingKey { try? SampleBonds.key(2) } == SampleBonds.key(1))
      // What was read can be replaced.
      try host.save(try SampleBonds.bond(2, key: 9))
      #expect(try host.load() == [try SampleBonds.bond(2, key: 9), try SampleBonds.bond(3)])
    }
    #expect(reports.all == [])
  }

  @Test("are an error without the entitlement", .temporaryKeychain(accessGroups: [])) func entitlements() throws {
    #expect(throws: KeychainBondError.other(errSecMissingEntitlement)) { try store().load() }
    #expect(throws: KeychainBondError.other(errSecMissingEntitlement)) { try store().save(try SampleBonds.bond(2)) }
    #expect("\(KeychainBondError.other(errSecMissingEntitlement))".hasPrefix("the keychain answers -34018: "))
  }
}
