import LatchkeyKeychainModel

/// What may be stored, asked for and changed, whichever caller asks. The façades ask only for what makes sense, but a caller may
/// come without one.
enum ItemRules {
  // MARK: Access groups

  /// The group that a new item goes to.
  static func group(ofNew item: NewItem, as caller: Entitlements) throws(StoreError) -> String {
    try requireGroups(caller)
    guard let group = item.accessGroup ?? caller.groupOfNewItems else { throw .missingEntitlement(group: nil) }
    try requireWritable(group, as: caller)
    return group
  }

  static func requireGroups(_ caller: Entitlements) throws(StoreError) {
    if caller.accessGroups.isEmpty { throw .missingEntitlement(group: nil) }
  }

  static func requireReadable(_ group: String, as caller: Entitlements) throws(StoreError) {
    guard caller.include(group) else { throw .missingEntitlement(group: group) }
  }

  /// Items of hardware tokens cannot be written.
  static func requireWritable(_ group: String, as caller: Entitlements) throws(StoreError) {
    guard caller.include(group), group != Entitlements.tokenGroup else { throw .missingEntitlement(group: group) }
    guard group != Entitlements.everyGroup, !group.isEmpty else {
      throw .invalidParameter("an item needs an access group with a name of its own")
    }
    guard group.utf8.count <= ItemLimits.accessGroup else {
      throw .invalidParameter("an access group has at most \(ItemLimits.accessGroup) bytes")
    }
  }

  // MARK: Attributes

  /// - Throws: `.noSuchAttribute` if the class lacks one, `.invalidParameter` for a value of another kind.
  static func check(
    _ attributes: [ItemAttribute: AttributeValue], in itemClass: ItemClass
  ) throws(StoreError) {
    for (attribute, value) in attributes {
      guard let kind = AttributeSchema.kind(of: attribute, in: itemClass) else { throw .noSuchAttribute(attribute) }
      switch (kind, value) {
      case (.blob, .text), (.blob, .bytes), (.blob, .number), (.number, .number), (.number, .text): break
      case (.date, .date(let seconds)):
        guard seconds.isFinite else { throw .invalidParameter("the attribute \(attribute) is no moment in time") }
      default: throw .invalidParameter("the attribute \(attribute) takes no value of this kind")
      }
    }
  }

  static func requireStored(_ itemClass: ItemClass) throws(StoreError) {
    guard itemClass != .identity else {
      throw .invalidParameter("an identity is a certificate and its key: name one of these classes")
    }
  }

  /// - Throws: `.invalidParameter` for an item that is larger than any may be.
  static func checkSize(_ content: ItemContent, data: [UInt8]?) throws(StoreError) {
    guard content.encodedSize + (data?.count ?? 0) <= ItemLimits.itemSize else {
      throw .invalidParameter("an item has at most \(ItemLimits.itemSize) bytes: keep larger data in a file of its own")
    }
  }

  // MARK: Access control

  /// The access control that an item gets from what was asked for and from what it would have without.
  ///
  /// - Throws: `.invalidParameter` for what cannot be together.
  static func accessControl(
    _ asked: AccessControl?, _ accessibility: Accessibility?, otherwise present: AccessControl, synchronizable: Bool
  ) throws(StoreError) -> AccessControl {
    var control = present
    if let asked {
      guard asked.flags.isConsistent else { throw .invalidParameter("the flags of the access control contradict") }
      if let accessibility, accessibility != asked.protection {
        throw .invalidParameter("accessibility and access control contradict: give one of them")
      }
      control = asked
    } else if let accessibility {
      control = AccessControl(protection: accessibility)
    }
    if synchronizable, control.isConstrained {
      throw .invalidParameter("an item with constraints cannot be synchronizable")
    }
    return control
  }

  static func defaultAccessibility(of itemClass: ItemClass) -> Accessibility {
    itemClass == .certificate ? .always : .whenUnlocked
  }
}
