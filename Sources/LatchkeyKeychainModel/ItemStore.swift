/// A keychain of typed items. Every call is synchronous, may block on disk, and is one transaction: it is atomic, and
/// durable once it returns, even through loss of power.
public protocol ItemStore: AnyObject, Sendable {
  /// Inserts `item` and returns the stored item without its data. It does not prompt: the available authenticators decide
  /// which constraints are accepted, and the item's consent supplies an application password.
  ///
  /// - Throws: `.duplicateItem` if an item with its primary key exists in its access group; `.locked` before that if its
  ///   accessibility does not allow writing now; `.missingEntitlement`; `.invalidParameter`; `.unavailable` for
  ///   constraints that no authenticator can meet; `.passcodeNotSet` for constraints that require a passcode if none is set;
  ///   `.presence(.credentialMissing)` for an application password that the consent does not supply.
  @discardableResult
  func add(_ item: NewItem, as caller: Entitlements) throws(StoreError) -> StoredItem

  /// Returns the matching items, in the order in which they were added, at most as many as the query's limit. To return the
  /// data of constrained items it obtains the query's consent, and blocks during a prompt.
  ///
  /// - Throws: `.itemNotFound` instead of an empty list; `.locked` if a matching item cannot be read now; `.damaged` if one
  ///   was altered outside of the store; `.presence`, `.invalidated`, `.unavailable`, `.wrongPasscode`,
  ///   `.passcodeDelayed` if consent for one was not obtained. It never returns part of the items.
  func find(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> [StoredItem]

  /// Applies `changes` to all matching items, and returns their count. Any change of a constrained item needs consent.
  ///
  /// - Throws: as ``find(_:as:)``, and `.duplicateItem` if two items would have the same primary key.
  @discardableResult
  func update(_ query: ItemQuery, with changes: ItemChanges, as caller: Entitlements) throws(StoreError) -> Int

  /// Deletes all matching items, locked or not, and returns their count.
  ///
  /// - Throws: as ``find(_:as:)``, but never `.locked`.
  @discardableResult
  func delete(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> Int

  /// The state of the lock in this process.
  var lockState: LockState { get }

  /// The service that obtains consent; if nil, constrained items are `.unavailable`.
  var presence: (any PresenceService)? { get }

  /// The enclave of this keychain; nil if it has none.
  var enclave: (any Enclave)? { get }

  /// The file that other processes with this keychain have, too, for locks beside it; nil if no other process has this keychain. Without a
  /// default: a store around another one that does not say it would take the locks away.
  var sharedPath: String? { get }
}

extension ItemStore {
  /// No presence service.
  public var presence: (any PresenceService)? { nil }
  /// No enclave.
  public var enclave: (any Enclave)? { nil }
}
