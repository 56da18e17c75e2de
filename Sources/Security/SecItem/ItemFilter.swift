internal import Foundation
internal import KeychainModel

/// What the keychain's own query cannot say of the items wanted, and is judged on each of them.
struct ItemFilter {
  private let match: MatchCriteria
  private let looseTexts: [ItemAttribute: String]
  private let skipsConstrained: Bool

  /// The filter of `request`; nil if its query says all.
  init?(_ request: ItemRequest) {
    match = request.match ?? MatchCriteria()
    skipsConstrained = request.authenticationUI == .skip
    var texts: [ItemAttribute: String] = [:]
    if match.comparesLoosely {
      // Of an identity this judges the certificate; what the key alone knows is for the query to compare.
      let judged: ItemClass = request.itemClass == .identity ? .certificate : request.itemClass
      for case (let attribute, .text(let text)) in request.attributes
      where AttributeSchema.kind(of: attribute, in: judged) != nil {
        texts[attribute] = text
      }
    }
    looseTexts = texts
    if !match.judgesCertificates, match.domain == nil, texts.isEmpty, !skipsConstrained { return nil }
  }

  /// The items that `query` finds and this admits, at most `limit`.
  ///
  /// - Throws: `.store(.itemNotFound)` rather than an empty list.
  func found(
    _ query: ItemQuery, limit: Int?, in session: KeychainSession
  ) throws(RequestFault) -> [StoredItem] {
    var query = query
    query.limit = nil
    for attribute in looseTexts.keys { query.attributes[attribute] = nil }
    if match.judgesCertificates, query.itemClass == .certificate { query.wantsData = true }
    let candidates = try inStore { () throws(StoreError) in try session.store.find(query, as: session.entitlements) }
    var found: [StoredItem] = []
    for item in candidates where try admits(item, in: session) {
      found.append(item)
      if found.count == limit { break }
    }
    if found.isEmpty { throw .store(.itemNotFound) }
    return found
  }

  private func admits(_ item: StoredItem, in session: KeychainSession) throws(RequestFault) -> Bool {
    if skipsConstrained, item.accessControl.isConstrained { return false }
    for (attribute, wanted) in looseTexts {
      guard case .text(let text)? = item.attributes[attribute],
        text.compare(wanted, options: match.comparison) == .orderedSame
      else { return false }
    }
    if let domain = match.domain {
      guard case .text(let server)? = item.attributes[.server], server == domain || server.hasSuffix("." + domain)
      else { return false }
    }
    guard match.judgesCertificates, item.itemClass == .certificate else { return true }
    return try match.admits(certificate: item, in: session)
  }
}
