import LatchkeyTestSupport
import Foundation
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

@Suite("Items that keep keys of the enclave") struct EnclaveKeyItemTests {
  @Test("A key is stored, found with its reference, and gives no data") func kept() throws {
    let bench = try GuardedBench(hasBiometry: true)
    for flags in [AccessControl.Flags.privateKeyUsage, [.privateKeyUsage, .biometryCurrentSet], [.devicePasscode], []] {
      let key = try bench.makeKey(flags)
      let added = try bench.keep(key)
      #expect(added.attributes[.tokenID] == .text("com.apple.setoken"))
      #expect(added.accessControl == key.control)
      var query = ItemQuery(.key, persistentReference: added.reference, wantsData: true)
      var expected = key
      expected.reference = added.reference
      let found = try #require(try bench.store.find(query, as: me).first)
      #expect(found.data == nil && found.enclaveKey == expected)
      query.wantsData = false
      #expect(try bench.store.find(query, as: me).first?.enclaveKey == nil)
      query.wantsEnclaveKeys = true
      #expect(try bench.store.find(query, as: me).first?.enclaveKey == expected)
      #expect(try bench.store.enclaveRepresentation(of: added.reference) == key.representation)
      try bench.store.delete(query, as: me)
      #expect(
        failure { () throws(StoreError) in try bench.store.enclaveRepresentation(of: added.reference) } == .itemNotFound
      )
    }
    #expect(bench.timesAsked == 0)
  }

  @Test("A search for keys shows no prompt for other items, and returns no data of theirs") func keysAlone() throws {
    let bench = try GuardedBench(hasBiometry: true)
    var item = NewItem(.key, attributes: [.applicationTag: .text("guarded")], data: [1, 2, 3])
    item.accessControl = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .biometryAny)
    try bench.store.add(item, as: me)
    try bench.store.add(NewItem(.key, attributes: [.applicationTag: .text("plain")], data: [4]), as: me)
    try bench.keep(bench.makeKey())
    var query = ItemQuery(.key, limit: nil)
    query.wantsEnclaveKeys = true
    let found = try bench.store.find(query, as: me)
    #expect(found.map { $0.enclaveKey != nil } == [false, false, true])
    #expect(found.allSatisfy { $0.data == nil })
    #expect(bench.timesAsked == 0)
  }

  @Test("Such an item cannot be made without the enclave") func fromOutside() throws {
    let bench = try GuardedBench()
    let key = try bench.makeKey()
    func refused(_ change: (inout NewItem) -> Void) -> Bool {
      var item = NewItem(.key, attributes: [.label: .text("x")])
      item.enclaveKey = key
      change(&item)
      return failure { () throws(StoreError) in try bench.store.add(item, as: me) }?.isInvalid == true
    }
    for value in [AttributeValue.text("com.apple.setoken"), .bytes(Array("com.apple.setoken".utf8))] {
      #expect(
        refused {
          $0.enclaveKey = nil
          $0.attributes[.tokenID] = value
          $0.data = key.representation
        })
    }
    #expect(refused { $0.data = [1] })
    #expect(refused { $0.itemClass = .genericPassword })
    #expect(refused { $0.isSynchronizable = true })
    #expect(refused { $0.attributes[.tokenID] = .text("another token") })
    #expect(refused { $0.accessibility = .whenUnlocked })
    #expect(
      refused { $0.accessControl = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .devicePasscode) })
    // What a key says of itself must be what its keychain wrote.
    for change in [
      { $0.publicKey[1] ^= 1 }, { $0.id[0] ^= 1 }, { $0.representation[50] ^= 1 },
      { $0.control.flags = .devicePasscode },
    ] as [(inout EnclaveKey) -> Void] {
      var item = NewItem(.key)
      var altered = key
      change(&altered)
      item.enclaveKey = altered
      #expect(failure { () throws(StoreError) in try bench.store.add(item, as: me) }?.isDamaged == true)
    }
    let elsewhere = try GuardedBench()
    guard case .foreignKey? = failure({ () throws(StoreError) in try elsewhere.keep(key) }) else {
      Issue.record("another keychain's key taken")
      return
    }
    #expect(failure { () throws(StoreError) in try bench.store.find(ItemQuery(.key), as: me) } == .itemNotFound)
  }

  @Test("its attributes change without consent; its data, class and access control never do") func updates() throws {
    let bench = try GuardedBench(hasBiometry: true)
    let key = try bench.makeKey([.privateKeyUsage, .biometryAny])
    let item = try bench.keep(key)
    let query = ItemQuery(.key, persistentReference: item.reference)
    #expect(try bench.store.update(query, with: ItemChanges(attributes: [.label: .text("new")]), as: me) == 1)
    #expect(bench.timesAsked == 0)
    for changes in [
      ItemChanges(data: [1]), ItemChanges(accessControl: key.control), ItemChanges(accessibility: .whenUnlocked),
      ItemChanges(isSynchronizable: true), ItemChanges(attributes: [.tokenID: .text("")]),
    ] {
      #expect(
        failure { () throws(StoreError) in try bench.store.update(query, with: changes, as: me) }?.isInvalid == true)
    }
    let plain = try bench.store.add(
      NewItem(.key, attributes: [.label: .text("plain")], data: key.representation), as: me)
    let token = ItemChanges(attributes: [.tokenID: .text("com.apple.setoken")])
    let plainQuery = ItemQuery(.key, persistentReference: plain.reference)
    #expect(
      failure { () throws(StoreError) in try bench.store.update(plainQuery, with: token, as: me) }?.isInvalid == true)
    #expect(
      failure { () throws(StoreError) in try bench.store.enclaveRepresentation(of: plain.reference) }?.isInvalid == true
    )
    #expect(try bench.store.enclaveRepresentation(of: item.reference) == key.representation)
    #expect(try bench.store.verify().isClean)
  }

  @Test("it signs through its reference, and not once it is deleted, locked or altered") func hotPath() throws {
    let bench = try GuardedBench()
    let item = try bench.keep(bench.makeKey())
    let enclave = try #require(bench.store.enclave)
    let key = try #require(
      try bench.store.find(ItemQuery(.key, persistentReference: item.reference, wantsData: true), as: me).first?
        .enclaveKey)
    #expect(try enclave.sign(digest: [UInt8](repeating: 1, count: 32), with: key, consent: Consent()).count == 64)
    bench.store.lock()
    #expect(
      failure { () throws(StoreError) in try bench.store.enclaveRepresentation(of: item.reference) }?.isLocked == true)
    try bench.store.unlock(passcode: Array(GuardedBench.passcode.utf8))
    #expect(throws: Never.self) { try bench.store.enclaveRepresentation(of: item.reference) }
    try bench.folder.edit("UPDATE item SET data = zeroblob(length(data))")
    #expect(
      failure { () throws(StoreError) in try bench.store.enclaveRepresentation(of: item.reference) }?.isDamaged == true)
  }

  @Test("rows that keep keys cannot be made of others, nor others of them") func swapped() throws {
    for sql in [
      "UPDATE item SET acl = NULL WHERE id = 1", "UPDATE item SET acl = x'010000004000000000' WHERE id = 1",
      """
      UPDATE item SET wrapped_dek = (SELECT wrapped_dek FROM item WHERE id = 2), \
      data = (SELECT data FROM item WHERE id = 2) WHERE id = 1
      """,
    ] {
      let bench = try GuardedBench()
      let item = try bench.keep(bench.makeKey())
      try bench.keep(bench.makeKey(), "other")
      bench.store.close()
      try bench.folder.edit(sql)
      let store = try bench.reopenedLocked()
      #expect(
        failure { () throws(StoreError) in try store.enclaveRepresentation(of: item.reference) }?.isDamaged == true)
      #expect(try !store.verify().isClean)
    }
  }
}
