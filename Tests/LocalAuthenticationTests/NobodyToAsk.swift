import LatchkeyKeychainModel

/// A keychain without a way to ask the user.
final class NobodyToAsk: ItemStore {
  func add(_ item: NewItem, as caller: Entitlements) throws(StoreError) -> StoredItem { throw .itemNotFound }
  func find(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> [StoredItem] { throw .itemNotFound }
  func update(_ query: ItemQuery, with changes: ItemChanges, as caller: Entitlements) throws(StoreError) -> Int {
    throw .itemNotFound
  }
  func delete(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> Int { throw .itemNotFound }
  var lockState: LockState { .unlocked }
  var sharedPath: String? { nil }
}

/// Puts a store in the place of the process's.
enum KeychainSessionScope {
  static func use<R>(_ store: any ItemStore, _ body: () throws -> R) rethrows -> R {
    try KeychainSession.$replacement.withValue(
      KeychainSession(store: store, entitlements: .none), operation: body)
  }
}
