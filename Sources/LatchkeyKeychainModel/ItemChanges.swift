/// What an update sets. What is absent stays as it is; the modification date always becomes now.
public struct ItemChanges: Sendable {
  /// Attributes to set.
  public var attributes: [ItemAttribute: AttributeValue]
  /// The access group to move to; one of the caller's.
  public var accessGroup: String?
  /// The new value of "synchronizable".
  public var isSynchronizable: Bool?
  /// The new accessibility.
  public var accessibility: Accessibility?
  /// The new access control.
  public var accessControl: AccessControl?
  /// The new secret. There is no way to take the data away again, as in Apple's calls.
  public var data: [UInt8]?

  /// A change of these parts.
  public init(
    attributes: [ItemAttribute: AttributeValue] = [:], accessGroup: String? = nil, isSynchronizable: Bool? = nil,
    accessibility: Accessibility? = nil, accessControl: AccessControl? = nil, data: [UInt8]? = nil
  ) {
    self.attributes = attributes
    self.accessGroup = accessGroup
    self.isSynchronizable = isSynchronizable
    self.accessibility = accessibility
    self.accessControl = accessControl
    self.data = data
  }
}
