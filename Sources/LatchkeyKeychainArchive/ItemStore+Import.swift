public import LatchkeyKeychainModel

/// What happens to an item of a document that the keychain has already.
public enum ExistingItems: String, Hashable, Sendable, CaseIterable {
  /// The keychain's stays.
  case keep
  /// The document's takes its place.
  case replace
}

/// What an import did, item by item.
public struct ImportReport: Hashable, Sendable {
  /// How many were added.
  public var added = 0
  /// How many took the place of others.
  public var replaced = 0
  /// How many were there already and stayed as they were.
  public var kept = 0
  /// Which items were not taken, by their place in the document, and why.
  public var refused: [Refused] = []

  /// An item that was not taken.
  public struct Refused: Hashable, Sendable {
    /// Its place in the document, from 0.
    public var index: Int
    /// Its class, as the document spells it.
    public var itemClass: String
    /// Why.
    public var error: StoreError
  }

  /// Nothing was done yet.
  public init() {}
}

extension ItemStore {
  /// Adds the items of a document. Each is a transaction of its own; what is not taken is in the report and ends nothing, but a
  /// failure of the keychain itself does. Doing it again after such a failure adds the rest.
  ///
  /// - Parameters:
  ///   - accessGroup: Where all of them go; nil: each to the group that it came from.
  ///   - report: What was done, kept up to date as items are added; it is true when this throws, too.
  /// - Throws: `.locked`, `.diskFull`, `.readOnly`, `.busy`, `.damaged`, `.inputOutput` and other failures that are not an item's own.
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
    // An empty value finds an absent attribute, too, and no other.
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
  /// The item as the keychain takes it.
  ///
  /// - Throws: `.invalidParameter` for what no keychain has.
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
  /// Whether other items may still be taken.
  fileprivate var concernsOneItem: Bool {
    switch self {
    case .itemNotFound, .duplicateItem, .missingEntitlement, .invalidParameter, .noSuchAttribute, .unimplemented,
      .passcodeNotSet, .unavailable, .presence, .invalidated, .foreignKey, .keyUsage:
      true
    default: false
    }
  }
}
