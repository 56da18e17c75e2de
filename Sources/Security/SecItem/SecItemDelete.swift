public import Foundation
internal import LatchkeyKeychainModel

/// Removes all items that a query means (Apple, SecItem.h).
///
/// `query` is as for ``SecItemCopyMatching(_:_:)``, without any `kSecMatch…`; `kSecMatchLimitAll` may stand there, as it
/// must for macOS's older keychain. `kSecReturn…` says nothing here. Locked items can be removed, too. An identity is
/// removed with its certificate and its key.
///
/// - Returns: `errSecSuccess`; `errSecItemNotFound` when nothing matches; others as ``SecItemCopyMatching(_:_:)``.
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
