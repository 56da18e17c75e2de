/// An item to add.
public struct NewItem: Sendable {
  /// The class; not `.identity`.
  public var itemClass: ItemClass
  /// The attributes. The store sets the creation and modification date if they are absent.
  public var attributes: [ItemAttribute: AttributeValue]
  /// The access group; nil means the caller's first.
  public var accessGroup: String?
  /// Whether the item may be synchronized to other devices (`kSecAttrSynchronizable`).
  public var isSynchronizable: Bool
  /// The accessibility; nil means the access control's protection, or the class's default.
  public var accessibility: Accessibility?
  /// The constraints on the item's use.
  public var accessControl: AccessControl?
  /// The secret; nil for an item of attributes alone.
  public var data: [UInt8]?
  /// The source of an application password, if the access control requires one.
  public var consent = Consent()
  /// A key of the enclave to store in this item: its representation replaces ``data``, its control becomes the item's, and
  /// `kSecAttrTokenID` is set. There is no other way to add such an item.
  package var enclaveKey: EnclaveKey?

  /// Creates an item from its parts.
  public init(
    _ itemClass: ItemClass, attributes: [ItemAttribute: AttributeValue] = [:], accessGroup: String? = nil,
    isSynchronizable: Bool = false, accessibility: Accessibility? = nil, accessControl: AccessControl? = nil,
    data: [UInt8]? = nil
  ) {
    self.itemClass = itemClass
    self.attributes = attributes
    self.accessGroup = accessGroup
    self.isSynchronizable = isSynchronizable
    self.accessibility = accessibility
    self.accessControl = accessControl
    self.data = data
  }
}

extension NewItem: CustomReflectable {
  /// The parts, without the bytes of the secret.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "itemClass": itemClass, "attributes": attributes, "accessGroup": accessGroup as Any,
        "isSynchronizable": isSynchronizable, "accessibility": accessibility as Any,
        "accessControl": accessControl as Any,
        "data": data.redacted as Any, "consent": consent, "enclaveKey": enclaveKey as Any,
      ], displayStyle: .struct)
  }
}

extension [UInt8]? {
  /// What descriptions and mirrors show instead of a secret; nil if there is none.
  var redacted: String? { map { _ in "a secret" } }
}
