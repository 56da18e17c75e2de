/// An item to be added.
public struct NewItem: Sendable {
  /// The class; not `.identity`.
  public var itemClass: ItemClass
  /// The attributes. Creation and modification date are set by the store where absent.
  public var attributes: [ItemAttribute: AttributeValue]
  /// The access group; nil is the caller's first.
  public var accessGroup: String?
  /// Whether the item may be synchronized to other devices (`kSecAttrSynchronizable`).
  public var isSynchronizable: Bool
  /// When the item can be read; nil is the class's default, or the access control's protection.
  public var accessibility: Accessibility?
  /// Constraints on its use.
  public var accessControl: AccessControl?
  /// The secret; nil is an item of attributes alone.
  public var data: [UInt8]?
  /// Where an application password comes from, if the access control wants one.
  public var consent = Consent()
  /// A key of the enclave that this item is to keep: its representation goes into the item in place of ``data``, its
  /// control becomes the item's, and `kSecAttrTokenID` is set. Nobody else can make such an item.
  package var enclaveKey: EnclaveKey?

  /// An item with these parts.
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
