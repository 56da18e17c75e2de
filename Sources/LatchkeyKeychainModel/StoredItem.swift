/// An item as the store has it.
public struct StoredItem: Sendable {
  /// What names it for as long as it exists.
  public var reference: PersistentReference
  /// All attributes that are set, creation and modification date among them.
  public var attributes: [ItemAttribute: AttributeValue]
  /// The access group.
  public var accessGroup: String
  /// Whether it may be synchronized.
  public var isSynchronizable: Bool
  /// Its protection class, and constraints if it has any.
  public var accessControl: AccessControl
  /// The secret: nil when it was not asked for, or when the item has none.
  public var data: [UInt8]?
  /// The key of the enclave that the item keeps, its reference set; nil when no data was asked for, and for all other
  /// items. It has no secret, and nobody is asked for it. The item's ``data`` is nil then.
  package var enclaveKey: EnclaveKey?

  /// The class.
  public var itemClass: ItemClass { reference.itemClass }
  /// When it can be read.
  public var accessibility: Accessibility { accessControl.protection }

  /// An item with these parts.
  public init(
    reference: PersistentReference, attributes: [ItemAttribute: AttributeValue], accessGroup: String,
    isSynchronizable: Bool, accessControl: AccessControl, data: [UInt8]?
  ) {
    self.reference = reference
    self.attributes = attributes
    self.accessGroup = accessGroup
    self.isSynchronizable = isSynchronizable
    self.accessControl = accessControl
    self.data = data
  }
}
