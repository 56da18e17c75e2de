/// Selects the items of a find, an update or a delete. An item matches if it meets all conditions and its access group is
/// one of the caller's.
public struct ItemQuery: Sendable {
  /// The class; not `.identity`, which is a pair of items.
  public var itemClass: ItemClass
  /// The attributes that must be equal (``AttributeValue/matches(_:)``). An empty value also matches an absent attribute.
  public var attributes: [ItemAttribute: AttributeValue]
  /// The access group; nil means any of the caller's.
  public var accessGroup: String?
  /// The filter on "synchronizable".
  public var synchronizable: Synchronizable
  /// The accessibility that items must have; nil means any.
  public var accessibility: Accessibility?
  /// The reference of the only item that can match.
  public var persistentReference: PersistentReference?
  /// Whether texts are compared case-insensitively (Unicode's full case folding).
  public var ignoresCase: Bool
  /// The maximum number of items to return; nil means all. Items are returned in the order in which they were added. Update
  /// and delete ignore it.
  public var limit: Int?
  /// Whether to return the items' data.
  public var wantsData: Bool
  /// The source of consent to reading or changing constrained items. Reading attributes alone needs no consent; nor does
  /// deleting.
  public var consent = Consent()
  /// Whether to return the enclave's keys that items store (``StoredItem/enclaveKey``), which needs no consent. ``wantsData``
  /// returns them, too.
  package var wantsEnclaveKeys = false

  /// A filter on "synchronizable" (`kSecAttrSynchronizable` in a query).
  public enum Synchronizable: Hashable, Sendable {
    /// Only items that are not synchronizable; the default.
    case no
    /// Only synchronizable items.
    case yes
    /// All items: `kSecAttrSynchronizableAny`.
    case any
  }

  /// Creates a query from its parts.
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
