public import Foundation
internal import LatchkeyKeychainModel

/// Deletes all items that match a query (Apple, SecItem.h).
///
/// `query` is as for ``SecItemCopyMatching(_:_:)``, without any `kSecMatch…`; only `kSecMatchLimitAll` is allowed, because
/// macOS's older keychain requires it. `kSecReturn…` is ignored. Locked items can be deleted, too. Deleting an identity
/// deletes its certificate and its key.
///
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if no item matches; others as ``SecItemCopyMatching(_:_:)``.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
  status { () throws(RequestFault) in
    let request = try ItemRequest(query)
    if request.consent.interaction == .skipped { throw .conflict }
    if let limit = request.limit, limit != .all { throw .limitUnsupported }
    if request.match != nil { throw .matchUnsupported }
    let query = try request.query()
    let session = try inStore(KeychainSession.current)
    for query in try request.queriesOfItems(query, in: session) {
      try inStore { () throws(StoreError) in _ = try session.store.delete(query, as: session.entitlements) }
    }
  }
}
