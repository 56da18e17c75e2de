/// Which items a find, an update or a delete is about. An item matches when all of this holds and its access group is
/// one of the caller's.
public struct ItemQuery: Sendable {
  /// The class; not `.identity`, which is a pair of items and no item.
  public var itemClass: ItemClass
  /// Attributes that must be equal (``AttributeValue/matches(_:)``). An empty value also matches an absent attribute.
  public var attributes: [ItemAttribute: AttributeValue]
  /// The access group; nil is any of the caller's.
  public var accessGroup: String?
  /// Which items count by "synchronizable".
  public var synchronizable: Synchronizable
  /// The accessibility that items must have; nil is any.
  public var accessibility: Accessibility?
  /// The one item meant.
  public var persistentReference: PersistentReference?
  /// Whether texts are compared without regard to case (Unicode's full case folding).
  public var ignoresCase: Bool
  /// How many items are wanted at most; nil is all. Items come in the order in which they were added. Update and delete
  /// know no limit.
  public var limit: Int?
  /// Whether the items' data is wanted too.
  public var wantsData: Bool
  /// Who consents to reading or changing what is constrained. Attributes alone need no consent; deleting needs none.
  public var consent = Consent()
  /// Whether the enclave's keys that items keep are wanted (``StoredItem/enclaveKey``), which needs no consent. They come
  /// with the data, too.
  package var wantsEnclaveKeys = false

  /// Which items count by "synchronizable" (`kSecAttrSynchronizable` in a query).
  public enum Synchronizable: Hashable, Sendable {
    /// Those that are not, as when the query says nothing.
    case no
    /// Only those that are.
    case yes
    /// All: `kSecAttrSynchronizableAny`.
    case any
  }

  /// A query with these parts.
  public init(
    _ itemClass: ItemClass, attributes: [ItemAttribute: AttributeValue] = [:], accessGroup: String? = nil,
    synchronizable: Synchronizable = .no, accessibility: Accessibility? = nil,
    persistentReference: PersistentReference? = nil, ignoresCase: Bool = false, limit: Int? = 1,
    wantsData: Bool = false
  ) {
    self.itemClass = itemClass
    self.attributes = attributes
    self.accessGroup = accessGroup
    self.synchronizable = synchronizable
    self.accessibility = accessibility
    self.persistentReference = persistentReference
    self.ignoresCase = ignoresCase
    self.limit = limit
    self.wantsData = wantsData
  }
}
