import LatchkeyKeychainModel

/// A process's keychain that does not exist yet: it has no items, and the first insertion creates it.
final class KeychainToCome: ItemStore {
  private let owner: ProcessKeychain

  init(_ owner: ProcessKeychain) { self.owner = owner }

  @discardableResult
  func add(_ item: NewItem, as caller: Entitlements) throws(StoreError) -> StoredItem {
    _ = try owner.database()
    // A session handles the lock as well.
    return try owner.session().store.add(item, as: caller)
  }

  func find(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> [StoredItem] {
    if let database = try database() { return try database.find(query, as: caller) }
    try Self.validate(query, as: caller, isWriting: false)
    throw .itemNotFound
  }

  @discardableResult
  func update(_ query: ItemQuery, with changes: ItemChanges, as caller: Entitlements) throws(StoreError) -> Int {
    if let database = try database() { return try database.update(query, with: changes, as: caller) }
    try Self.validate(query, as: caller, isWriting: true)
    if let group = changes.accessGroup { try ItemRules.requireWritable(group, as: caller) }
    try ItemRules.check(changes.attributes, in: query.itemClass)
    throw .itemNotFound
  }

  @discardableResult
  func delete(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> Int {
    if let database = try database() { return try database.delete(query, as: caller) }
    try Self.validate(query, as: caller, isWriting: true)
    throw .itemNotFound
  }

  var lockState: LockState { (try? database())?.lockState ?? .unlocked }

  // Presence and the enclave need a keychain, so reading these creates one.
  var presence: (any PresenceService)? { (try? owner.database())?.presence }
  var enclave: (any Enclave)? { (try? owner.database())?.enclave }
  var sharedPath: String? { (try? database())?.path }

  /// The keychain, if it has been created meanwhile.
  private func database() throws(StoreError) -> KeychainDatabase? { try owner.session().store as? KeychainDatabase }

  /// Invalid queries throw here too.
  private static func validate(_ query: ItemQuery, as caller: Entitlements, isWriting: Bool) throws(StoreError) {
    _ = try CheckedQuery(query, as: caller, isWriting: isWriting)
  }
}
