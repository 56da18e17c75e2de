import LatchkeyKeychainModel

/// A process's keychain that is not there yet: nothing is found in it, and the first thing added makes it.
final class KeychainToCome: ItemStore {
  private let owner: ProcessKeychain

  init(_ owner: ProcessKeychain) { self.owner = owner }

  @discardableResult
  func add(_ item: NewItem, as caller: Entitlements) throws(StoreError) -> StoredItem {
    _ = try owner.database()
    // A session looks after the lock besides.
    return try owner.session().store.add(item, as: caller)
  }

  func find(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> [StoredItem] {
    if let database = try database() { return try database.find(query, as: caller) }
    try Self.judge(query, as: caller, isWriting: false)
    throw .itemNotFound
  }

  @discardableResult
  func update(_ query: ItemQuery, with changes: ItemChanges, as caller: Entitlements) throws(StoreError) -> Int {
    if let database = try database() { return try database.update(query, with: changes, as: caller) }
    try Self.judge(query, as: caller, isWriting: true)
    if let group = changes.accessGroup { try ItemRules.requireWritable(group, as: caller) }
    try ItemRules.check(changes.attributes, in: query.itemClass)
    throw .itemNotFound
  }

  @discardableResult
  func delete(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> Int {
    if let database = try database() { return try database.delete(query, as: caller) }
    try Self.judge(query, as: caller, isWriting: true)
    throw .itemNotFound
  }

  var lockState: LockState { (try? database())?.lockState ?? .unlocked }

  // Who is asked and what never leaves belong to a keychain: a caller that wants them gets one.
  var presence: (any PresenceService)? { (try? owner.database())?.presence }
  var enclave: (any Enclave)? { (try? owner.database())?.enclave }

  /// The keychain, if somebody has made it meanwhile.
  private func database() throws(StoreError) -> KeychainDatabase? { try owner.session().store as? KeychainDatabase }

  /// What makes no sense is an error here, too.
  private static func judge(_ query: ItemQuery, as caller: Entitlements, isWriting: Bool) throws(StoreError) {
    _ = try CheckedQuery(query, as: caller, isWriting: isWriting)
  }
}
