/// A keychain: typed items in, typed items out. Every call is synchronous, may block on disk, and is one transaction:
/// it happens as a whole or not at all, and what it acknowledged survives loss of power.
public protocol ItemStore: AnyObject, Sendable {
  /// Stores `item` and tells what was stored, without its data. Nobody is asked: what constraints an item may have
  /// depends on who could be asked, and an application password comes from the item's consent.
  ///
  /// - Throws: `.duplicateItem` if its class's primary key is taken in its access group; `.locked` before that if its
  ///   accessibility does not allow writing now; `.missingEntitlement`; `.invalidParameter`; `.unavailable` for
  ///   constraints that nothing here can meet; `.passcodeNotSet` for those that want a passcode where there is none;
  ///   `.presence(.credentialMissing)` for an application password that the consent does not bring.
  @discardableResult
  func add(_ item: NewItem, as caller: Entitlements) throws(StoreError) -> StoredItem

  /// The items that match, in the order of their adding, at most as many as the query wants. Where constrained items'
  /// data is wanted, the query's consent is asked, and the call blocks while somebody is.
  ///
  /// - Throws: `.itemNotFound` rather than an empty list; `.locked` if one that matches cannot be read now; `.damaged`
  ///   if one was altered outside of the store; `.presence`, `.invalidated`, `.unavailable`, `.wrongPasscode`,
  ///   `.passcodeDelayed` if one was not consented to; never part of the items.
  func find(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> [StoredItem]

  /// Sets `changes` in all items that match, and tells how many those were. Any change of a constrained item needs
  /// consent.
  ///
  /// - Throws: as ``find(_:as:)``, and `.duplicateItem` if a primary key would be taken.
  @discardableResult
  func update(_ query: ItemQuery, with changes: ItemChanges, as caller: Entitlements) throws(StoreError) -> Int

  /// Removes all items that match, locked or not, and tells how many those were.
  ///
  /// - Throws: as ``find(_:as:)``, but never `.locked`.
  @discardableResult
  func delete(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> Int

  /// Where the lock stands in this process.
  var lockState: LockState { get }

  /// Who can be asked for consent; nil: nobody, and constrained items are `.unavailable`.
  var presence: (any PresenceService)? { get }

  /// The keys that never leave; nil: there are none.
  var enclave: (any Enclave)? { get }
}

extension ItemStore {
  /// Nobody can be asked.
  public var presence: (any PresenceService)? { nil }
  /// There is none.
  public var enclave: (any Enclave)? { nil }
}
