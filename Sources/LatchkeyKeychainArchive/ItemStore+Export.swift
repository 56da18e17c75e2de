public import Foundation
public import LatchkeyKeychainModel

/// What goes into an export besides what may leave anyway.
public struct ExportOptions: Sendable {
  /// Whether items whose accessibility ends in `ThisDeviceOnly` leave, too.
  public var includesThisDeviceOnly = false
  /// Who is asked for items that a user guards; nil: such items stay.
  public var consent: Consent?

  /// What may leave anyway, and nothing else.
  public init() {}
}

extension ItemStore {
  /// All items of the caller's access groups as a document: what stays is listed in it. Items that others delete meanwhile are
  /// left out; each item is as it was at one moment.
  ///
  /// - Parameter created: The time that the document bears.
  /// - Throws: `.locked` if an item cannot be read now; what finding fails with, and what the options' consent fails with.
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

  /// The item with its data; nil if it is not there any more.
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
  /// Why an item stays; nil if it leaves.
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
