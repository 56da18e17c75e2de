public import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyKeychainModel

/// Updates all items that match a query, or none (Apple, SecItem.h).
///
/// `query` is as for ``SecItemCopyMatching(_:_:)``, without any `kSecMatch…` and `kSecReturn…`. `attributesToUpdate`
/// contains attributes and `kSecValueData`. Other values stay unchanged, and the modification date becomes now.
///
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if no item matches; `errSecDuplicateItem` if an item would get the
///   primary key of another; `errSecNoSuchAttr` for any other key in `attributesToUpdate`; others as
///   ``SecItemCopyMatching(_:_:)``.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
  status { () throws(RequestFault) in
    let request = try ItemRequest(query)
    if request.consent.interaction == .skipped { throw .conflict }
    if request.match != nil || request.limit != nil { throw .matchUnsupported }
    if !request.returns.isEmpty { throw .returnUnsupported }
    let query = try request.query()
    var changes = try ChangeSet(attributesToUpdate, of: request.itemClass).changes
    defer { changes.data?.wipe() }
    let session = try inStore(KeychainSession.current)
    for query in try request.queriesOfItems(query, in: session) {
      try inStore { () throws(StoreError) in
        _ = try session.store.update(query, with: changes, as: session.entitlements)
      }
    }
  }
}

extension ItemRequest {
  /// `query`, or for identities one query for each certificate and each key. As in Apple's keychain, a call on identities is
  /// not one transaction.
  func queriesOfItems(_ query: ItemQuery, in session: KeychainSession) throws(RequestFault) -> [ItemQuery] {
    if itemClass != .identity { return [query] }
    return try Identities(of: self, in: session).found(query, limit: nil).flatMap {
      [ItemQuery($0.certificate.reference), ItemQuery($0.key.reference)]
    }
  }
}
