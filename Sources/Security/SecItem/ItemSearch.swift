internal import Foundation
internal import LatchkeyKeychainModel

/// Turns a request into a search of the keychain.
extension ItemRequest {
  /// The keychain's query for the request. An ``ItemFilter`` may refuse some of its results.
  ///
  /// - Throws: `.conflict` if the access control and the accessibility differ, or if a persistent reference is combined with
  ///   attributes.
  func query() throws(RequestFault) -> ItemQuery {
    if let control = accessControl, let accessibility, control.protection != accessibility { throw .conflict }
    var query = ItemQuery(itemClass, limit: nil)
    query.consent = consent
    if let persistentReference {
      guard attributes.isEmpty, accessGroup == nil, accessibility == nil, synchronizable ?? .any == .any else {
        throw .conflict
      }
      query.persistentReference = persistentReference
      query.synchronizable = .any
      return query
    }
    query.attributes = attributes
    query.accessGroup = accessGroup
    query.accessibility = accessibility
    query.synchronizable = synchronizable ?? .no
    return query
  }

  /// The results of the search, in the keychain's order and within the limit.
  ///
  /// - Throws: `.store(.itemNotFound)` instead of an empty list.
  func find(in session: KeychainSession) throws(RequestFault) -> [StoredItem] {
    try match?.check(in: itemClass)
    var query = try query()
    query.wantsData = !returns.isDisjoint(with: needingData)
    query.ignoresCase = match?.ignoresCase ?? false
    let limit = (limit ?? .one).count
    if itemClass == .identity {
      return try Identities(of: self, in: session).found(query, limit: limit).map(\.item)
    }
    guard let filter = ItemFilter(self) else {
      query.limit = limit
      return try inStore { () throws(StoreError) in try session.store.find(query, as: session.entitlements) }
    }
    return try filter.found(query, limit: limit, in: session)
  }

  /// The results that need the item's data: references are created from it, except that passwords have none.
  private var needingData: ReturnTypes {
    switch itemClass {
    case .genericPassword, .internetPassword: .data
    case .certificate, .key, .identity: [.data, .reference]
    }
  }
}
