import Foundation
import LatchkeyKeychainModel
import Security
import Synchronization
import Testing

/// A keychain that stores one item, has no room for a second, and cannot delete.
private final class FullStore: ItemStore {
  private let count = Mutex(0)
  let deletions = Mutex(0)

  func add(_ item: NewItem, as caller: Entitlements) throws(StoreError) -> StoredItem {
    guard
      count.withLock({ count in
        count += 1
        return count == 1
      })
    else { throw .diskFull(path: "keychain.db") }
    guard
      let reference = try? PersistentReference(itemClass: item.itemClass, uuid: [UInt8](repeating: 1, count: 16))
    else { throw .damaged("a reference without 16 bytes") }
    return StoredItem(
      reference: reference,
      attributes: item.attributes, accessGroup: Entitlements.defaultGroup, isSynchronizable: false,
      accessControl: AccessControl(protection: .whenUnlocked), data: item.data)
  }

  func find(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> [StoredItem] { throw .itemNotFound }

  func update(_ query: ItemQuery, with changes: ItemChanges, as caller: Entitlements) throws(StoreError) -> Int {
    throw .itemNotFound
  }

  func delete(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> Int {
    deletions.withLock { $0 += 1 }
    throw .readOnly(path: "keychain.db")
  }

  var lockState: LockState { .unlocked }
  var sharedPath: String? { nil }
}

/// A call that stores two items deletes the first when the second fails.
struct RollBackTests {
  private func use<Result>(_ store: FullStore, _ body: () throws -> Result) rethrows -> Result {
    try KeychainSession.$replacement.withValue(KeychainSession(store: store, entitlements: .none), operation: body)
  }

  @Test("An identity's first error is reported, even if its certificate cannot be deleted") func identity() throws {
    let store = FullStore()
    let identity = try #require(SecIdentityCreate(nil, IdentityFixture.eve, IdentityFixture.evesKey))
    let status = use(store) { SecItemAdd([kSecValueRef: identity] as CFDictionary, nil) }
    #expect(status == errSecDiskFull)
    #expect(store.deletions.withLock { $0 } == 1)
  }

  @Test("A key pair's first error is reported, even if its public half cannot be deleted") func keyPair() {
    let store = FullStore()
    let parameters: [CFString: Any] = [
      kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256, kSecAttrIsPermanent: true,
    ]
    use(store) { expectFailure(errSecDiskFull) { SecKeyCreateRandomKey(parameters as CFDictionary, $0) } }
    #expect(store.deletions.withLock { $0 } == 1)
  }
}
