internal import Foundation
internal import LatchkeyKeychainModel

/// How a request becomes a search of the keychain.
extension ItemRequest {
  /// The keychain's query for the items meant: of those, ``MatchCriteria/admits(_:)`` may still refuse some.
  ///
  /// - Throws: `.conflict` if a persistent reference stands beside attributes.
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

  /// What a search returns, in the keychain's order and within the limit.
  ///
  /// - Throws: `.store(.itemNotFound)` rather than an empty list.
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

  /// What cannot be returned without the secret: references are made of it. Passwords have none.
  private var needingData: ReturnTypes {
    switch itemClass {
    case .genericPassword, .internetPassword: .data
    case .certificate, .key, .identity: [.data, .reference]
    }
  }
}
