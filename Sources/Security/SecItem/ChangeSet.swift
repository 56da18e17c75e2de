internal import Foundation
internal import LatchkeyKeychainModel

/// The changes of a `SecItemUpdate`.
struct ChangeSet {
  private(set) var changes = ItemChanges()
  private let itemClass: ItemClass
  private var fault: RequestFault?
  private var hasUnknownKey = false

  /// Parses `dictionary`, the changes of items of `itemClass`: attributes and `kSecValueData`. Any other key, including
  /// `kSecClass`, is an unknown attribute.
  init(_ dictionary: CFDictionary, of itemClass: ItemClass) throws(RequestFault) {
    var set = ChangeSet(of: itemClass)
    dictionary.enumerateKeysAndObjects(options: []) { key, value, stop in
      if !set.take(key, value) { stop.pointee = true }
    }
    if let fault = set.fault { throw fault }
    try AccessControlRule.check(
      set.changes.accessControl, with: set.changes.accessibility,
      isSynchronizable: set.changes.isSynchronizable ?? false)
    if set.hasUnknownKey { throw .noSuchAttribute }
    self = set
  }

  private init(of itemClass: ItemClass) { self.itemClass = itemClass }

  private mutating func take(_ key: Any, _ value: Any) -> Bool {
    do throws(RequestFault) {
      guard let name = key as? String else { throw .keyIsNoString }
      if let attribute = ItemAttribute(key: name) {
        try takeAttribute(attribute, QueryValue(value))
      } else if QueryKey(name) == .data {
        guard case .bytes(let data) = QueryValue(value) else { throw .invalidValue }
        changes.data = [UInt8](data)
      } else {
        throw .noSuchAttribute
      }
    } catch {
      guard error == .noSuchAttribute else {
        fault = error
        return false
      }
      hasUnknownKey = true
    }
    return true
  }

  private mutating func takeAttribute(_ attribute: ItemAttribute, _ value: QueryValue) throws(RequestFault) {
    if let kind = kind(of: attribute) {
      let value = try value.asAttribute(kind)
      // The store sets the modification date to now, so the caller's value is ignored.
      if attribute != .modificationDate { changes.attributes[attribute] = value }
      return
    }
    switch attribute {
    case .accessGroup: changes.accessGroup = try value.asText()
    case .synchronizable:
      let synchronizable = try value.asSynchronizable()
      if synchronizable != .any { changes.isSynchronizable = synchronizable == .yes }
    case .accessible: changes.accessibility = try value.asAccessibility()
    case .accessControl: changes.accessControl = try value.asAccessControl()
    default: throw ItemAttribute.internalKeys.contains(attribute) ? .internalKey : .noSuchAttribute
    }
  }

  /// The kind of an attribute. An update of an identity changes its certificate and its key, so both classes must have the
  /// attribute.
  private func kind(of attribute: ItemAttribute) -> AttributeSchema.Kind? {
    guard itemClass == .identity else { return AttributeSchema.kind(of: attribute, in: itemClass) }
    guard AttributeSchema.kind(of: attribute, in: .key) != nil else { return nil }
    return AttributeSchema.kind(of: attribute, in: .certificate)
  }
}
