public import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyKeychainModel

/// Changes all items that a query means, or none (Apple, SecItem.h).
///
/// `query` is as for ``SecItemCopyMatching(_:_:)``, without any `kSecMatch…` and `kSecReturn…`. `attributesToUpdate` has
/// attributes and `kSecValueData`; what it does not name stays, and the modification date becomes now.
///
/// - Returns: `errSecSuccess`; `errSecItemNotFound` when nothing matches; `errSecDuplicateItem` when an item would get
///   the primary key of another; `errSecNoSuchAttr` for any key of `attributesToUpdate` that is neither; others as
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
  /// `query`, or for identities one query for each certificate and each key that make one: there the call is no longer
  /// one transaction, as it is not in Apple's keychain.
  func queriesOfItems(_ query: ItemQuery, in session: KeychainSession) throws(RequestFault) -> [ItemQuery] {
    if itemClass != .identity { return [query] }
    return try Identities(of: self, in: session).found(query, limit: nil).flatMap {
      [ItemQuery($0.certificate.reference), ItemQuery($0.key.reference)]
    }
  }
}
