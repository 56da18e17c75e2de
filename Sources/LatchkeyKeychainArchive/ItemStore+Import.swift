public import LatchkeyKeychainModel

/// The handling of a document's item that the keychain already has.
public enum ExistingItems: String, Hashable, Sendable, CaseIterable {
  /// Keep the keychain's item.
  case keep
  /// Replace it with the document's item.
  case replace
}

/// The result of an import.
public struct ImportReport: Hashable, Sendable {
  /// The number of added items.
  public var added = 0
  /// The number of items that replaced others.
  public var replaced = 0
  /// The number of items that existed and were kept unchanged.
  public var kept = 0
  /// The refused items, by their index in the document, and the reasons.
  public var refused: [Refused] = []

  /// A refused item.
  public struct Refused: Hashable, Sendable {
    /// Its index in the document, from 0.
    public var index: Int
    /// Its class, as in the document.
    public var itemClass: String
    /// The reason.
    public var error: StoreError
  }

  /// Creates an empty report.
  public init() {}
}

extension ItemStore {
  /// Adds the items of a document, each in its own transaction. A refused item is reported and does not end the import; a
  /// failure of the keychain itself does. A repetition after such a failure adds the rest.
  ///
  /// - Parameters:
  ///   - accessGroup: The group for all items; nil: each item's original group.
  ///   - report: The result, updated as items are added; it is also correct when this throws.
  /// - Throws: `.locked`, `.diskFull`, `.readOnly`, `.busy`, `.damaged`, `.inputOutput` and other failures that do not concern
  ///   a single item.
  public func importItems(
    of document: KeychainDocument, existing: ExistingItems = .keep, accessGroup: String? = nil, as caller: Entitlements,
    report: inout ImportReport
  ) throws(StoreError) {
    for (index, item) in document.items.enumerated() {
      do throws(StoreError) {
        try take(try item.newItem(in: accessGroup), existing, as: caller, &report)
      } catch {
        guard error.concernsOneItem else { throw error }
        report.refused.append(ImportReport.Refused(index: index, itemClass: item.itemClass, error: error))
      }
    }
  }

  private func take(
    _ item: NewItem, _ existing: ExistingItems, as caller: Entitlements, _ report: inout ImportReport
  ) throws(StoreError) {
    do throws(StoreError) {
      try add(item, as: caller)
      report.added += 1
    } catch {
      guard error == .duplicateItem else { throw error }
      guard existing == .replace else {
        report.kept += 1
        return
      }
      try replace(item, as: caller)
      report.replaced += 1
    }
  }

  private func replace(_ item: NewItem, as caller: Entitlements) throws(StoreError) {
    var key: [ItemAttribute: AttributeValue] = [:]
    // An empty value matches only an absent or empty attribute.
    for name in AttributeSchema.primaryKey(of: item.itemClass) { key[name] = item.attributes[name] ?? .text("") }
    let numbers = key.keys.filter { AttributeSchema.kind(of: $0, in: item.itemClass) == .number }
    for name in numbers where item.attributes[name] == nil { key[name] = .number(0) }
    for name in key.keys
    where AttributeSchema.kind(of: name, in: item.itemClass) == .date && item.attributes[name] == nil {
      key[name] = nil
    }
    let query = ItemQuery(
      item.itemClass, attributes: key, accessGroup: item.accessGroup,
      synchronizable: item.isSynchronizable ? .yes : .no, limit: nil)
    let changes = ItemChanges(
      attributes: item.attributes, accessibility: item.accessibility, accessControl: item.accessControl, data: item.data
    )
    try update(query, with: changes, as: caller)
  }
}

extension KeychainDocument.Item {
  /// Converts the item for insertion into a keychain.
  ///
  /// - Throws: `.invalidParameter` for an item that no keychain can hold.
  func newItem(in group: String?) throws(StoreError) -> NewItem {
    guard let itemClass = ItemClass(rawValue: itemClass), itemClass != .identity else {
      throw .invalidParameter("there is no class \(self.itemClass)")
    }
    guard let accessibility = Accessibility(rawValue: accessible) else {
      throw .invalidParameter("there is no accessibility \(accessible)")
    }
    var attributes: [ItemAttribute: AttributeValue] = [:]
    for (name, value) in self.attributes {
      guard let attribute = ItemAttribute(name) else { throw .invalidParameter("there is no attribute \(name)") }
      if case .date(let seconds) = value, !seconds.isFinite { throw .invalidParameter("\(name) is no date") }
      attributes[attribute] = value.attribute
    }
    var control: AccessControl?
    if let bits = accessControl {
      let flags = AccessControl.Flags(rawValue: UInt(bits))
      guard flags.isConsistent else { throw .invalidParameter("an access control has flags that do not go together") }
      control = AccessControl(protection: accessibility, flags: flags)
    }
    return NewItem(
      itemClass, attributes: attributes, accessGroup: group ?? accessGroup, isSynchronizable: synchronizable,
      accessibility: control == nil ? accessibility : nil, accessControl: control, data: data.map { [UInt8]($0) })
  }
}

extension StoreError {
  /// Whether the error concerns one item only, so that the import goes on.
  fileprivate var concernsOneItem: Bool {
    switch self {
    case .itemNotFound, .duplicateItem, .missingEntitlement, .invalidParameter, .noSuchAttribute, .unimplemented,
      .passcodeNotSet, .unavailable, .presence, .invalidated, .foreignKey, .keyUsage:
      true
    default: false
    }
  }
}
