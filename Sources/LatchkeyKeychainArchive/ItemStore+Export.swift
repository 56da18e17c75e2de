public import Foundation
public import LatchkeyKeychainModel

/// Options that add items to an export.
public struct ExportOptions: Sendable {
  /// Whether items whose accessibility ends in `ThisDeviceOnly` are exported, too.
  public var includesThisDeviceOnly = false
  /// The consent for items that a user guards; nil: such items are excluded.
  public var consent: Consent?

  /// Creates options that add no items.
  public init() {}
}

extension ItemStore {
  /// Exports all items of the caller's access groups as a document, which lists the excluded ones. Items deleted concurrently
  /// are left out; each item is consistent in itself.
  ///
  /// - Parameter created: The document's time of creation.
  /// - Throws: `.locked` if an item cannot be read now; errors of the search and of the options' consent.
  public func export(
    _ options: ExportOptions = ExportOptions(), as caller: Entitlements, created: Date
  ) throws(StoreError) -> KeychainDocument {
    var document = KeychainDocument(created: created, items: [], excluded: [])
    for itemClass in ItemClass.stored {
      let query = ItemQuery(itemClass, synchronizable: .any, limit: nil)
      for item in try found(query, as: caller) {
        if let reason = options.reason(against: item) {
          document.excluded.append(KeychainDocument.Excluded(item, reason))
        } else if let whole = try whole(item, options, as: caller) {
          document.items.append(KeychainDocument.Item(whole))
        }
      }
    }
    return document
  }

  /// Returns the item with its data; nil if it no longer exists.
  private func whole(
    _ item: StoredItem, _ options: ExportOptions, as caller: Entitlements
  ) throws(StoreError) -> StoredItem? {
    var query = ItemQuery(
      item.itemClass, synchronizable: .any, persistentReference: item.reference, wantsData: true)
    query.consent = options.consent ?? Consent(interaction: .refused)
    return try found(query, as: caller).first
  }

  private func found(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> [StoredItem] {
    do {
      return try find(query, as: caller)
    } catch {
      if error == .itemNotFound { return [] }
      throw error
    }
  }
}

extension ExportOptions {
  /// The reason for excluding an item; nil if it is exported.
  fileprivate func reason(against item: StoredItem) -> KeychainDocument.Reason? {
    if item.attributes[.tokenID] != nil { return .enclaveKey }
    if item.accessibility.isThisDeviceOnly, !includesThisDeviceOnly { return .thisDeviceOnly }
    if item.accessControl.isConstrained, consent == nil { return .guarded }
    return nil
  }
}

extension KeychainDocument.Item {
  init(_ item: StoredItem) {
    self.init(
      itemClass: item.itemClass.rawValue, accessGroup: item.accessGroup, accessible: item.accessibility.rawValue,
      synchronizable: item.isSynchronizable,
      accessControl: item.accessControl.flags.isEmpty ? nil : UInt64(item.accessControl.flags.rawValue),
      attributes: Dictionary(
        item.attributes.map { ("\($0.key)", KeychainDocument.Value($0.value)) }, uniquingKeysWith: { first, _ in first }
      ),
      data: item.data.map { Data($0) })
  }
}

extension KeychainDocument.Excluded {
  init(_ item: StoredItem, _ reason: KeychainDocument.Reason) {
    self.init(
      itemClass: item.itemClass.rawValue, accessGroup: item.accessGroup, name: Self.name(of: item), reason: reason)
  }

  private static func name(of item: StoredItem) -> String {
    let names: [ItemAttribute] = [.service, .server, .account, .label, .applicationTag]
    let words = names.compactMap { name -> String? in
      switch item.attributes[name] {
      case .text(let text)?: text.isEmpty ? nil : text
      case .bytes(let bytes)?: String(validating: bytes, as: UTF8.self).flatMap { $0.isEmpty ? nil : $0 }
      default: nil
      }
    }
    return words.prefix(2).joined(separator: " / ")
  }
}
