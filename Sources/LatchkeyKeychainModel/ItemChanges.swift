/// The changes of an update. A nil property leaves its value unchanged; the modification date is always set to now.
public struct ItemChanges: Sendable {
  /// Attributes to set.
  public var attributes: [ItemAttribute: AttributeValue]
  /// The new access group; must be one of the caller's.
  public var accessGroup: String?
  /// The new value of "synchronizable".
  public var isSynchronizable: Bool?
  /// The new accessibility.
  public var accessibility: Accessibility?
  /// The new access control.
  public var accessControl: AccessControl?
  /// The new secret. As in Apple's calls, an update cannot delete the data.
  public var data: [UInt8]?

  /// Creates changes from their parts.
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

extension ItemChanges: CustomReflectable {
  /// The parts, without the bytes of the new secret.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "attributes": attributes, "accessGroup": accessGroup as Any, "isSynchronizable": isSynchronizable as Any,
        "accessibility": accessibility as Any, "accessControl": accessControl as Any, "data": data.redacted as Any,
      ], displayStyle: .struct)
  }
}
