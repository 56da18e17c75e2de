/// An item of the store.
public struct StoredItem: Sendable {
  /// The item's permanent reference.
  public var reference: PersistentReference
  /// All attributes that are set, including creation and modification date.
  public var attributes: [ItemAttribute: AttributeValue]
  /// The access group.
  public var accessGroup: String
  /// Whether the item may be synchronized.
  public var isSynchronizable: Bool
  /// The protection class, and constraints if the item has any.
  public var accessControl: AccessControl
  /// The secret; nil if the query did not request it, or if the item has none.
  public var data: [UInt8]?
  /// The enclave key that the item stores, with its reference set; nil for all other items, and if the query requested
  /// neither data nor keys. It contains no secret and needs no consent. The item's ``data`` is nil then.
  package var enclaveKey: EnclaveKey?

  /// The class.
  public var itemClass: ItemClass { reference.itemClass }
  /// The accessibility.
  public var accessibility: Accessibility { accessControl.protection }

  /// Creates an item from its parts.
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

extension StoredItem: CustomReflectable {
  /// The parts, without the bytes of the secret.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "reference": reference, "attributes": attributes, "accessGroup": accessGroup,
        "isSynchronizable": isSynchronizable, "accessControl": accessControl, "data": data.redacted as Any,
        "enclaveKey": enclaveKey as Any,
      ], displayStyle: .struct)
  }
}
