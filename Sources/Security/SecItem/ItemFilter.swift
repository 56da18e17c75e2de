internal import Foundation
internal import LatchkeyKeychainModel

/// The search conditions that the keychain's own query cannot express, evaluated on each item.
struct ItemFilter {
  private let match: MatchCriteria
  private let looseTexts: [ItemAttribute: String]

  /// Creates the filter of `request`; nil if its query expresses all conditions.
  init?(_ request: ItemRequest) {
    match = request.match ?? MatchCriteria()
    var texts: [ItemAttribute: String] = [:]
    if match.comparesLoosely {
      // For an identity the filter compares the certificate's attributes; the query compares those of the key alone.
      let filteredClass: ItemClass = request.itemClass == .identity ? .certificate : request.itemClass
      for case (let attribute, .text(let text)) in request.attributes
      where AttributeSchema.kind(of: attribute, in: filteredClass) != nil {
        texts[attribute] = text
      }
    }
    looseTexts = texts
    if !match.filtersCertificates, match.domain == nil, texts.isEmpty { return nil }
  }

  /// The items that `query` finds and the filter admits, at most `limit`. If the filter does not need the data, it reads the
  /// data of returned items only, so that other items cause no prompt.
  ///
  /// - Throws: `.store(.itemNotFound)` instead of an empty list.
  func found(
    _ query: ItemQuery, limit: Int?, in session: KeychainSession
  ) throws(RequestFault) -> [StoredItem] {
    var query = query
    query.limit = nil
    for attribute in looseTexts.keys { query.attributes[attribute] = nil }
    let readsLater = query.wantsData && !(match.filtersCertificates && query.itemClass == .certificate)
    query.wantsData = match.filtersCertificates && query.itemClass == .certificate
    let candidates = try inStore { () throws(StoreError) in try session.store.find(query, as: session.entitlements) }
    var found: [StoredItem] = []
    for item in candidates where try admits(item, in: session) {
      guard readsLater else {
        found.append(item)
        if found.count == limit { break }
        continue
      }
      if let read = try read(item, query.consent, in: session) { found.append(read) }
      if found.count == limit { break }
    }
    if found.isEmpty { throw .store(.itemNotFound) }
    return found
  }

  /// The item with its data; nil if it was deleted meanwhile, or if the consent skips it.
  private func read(
    _ item: StoredItem, _ consent: Consent, in session: KeychainSession
  ) throws(RequestFault) -> StoredItem? {
    var query = ItemQuery(item.reference)
    query.wantsData = true
    query.consent = consent
    do throws(StoreError) {
      return try session.store.find(query, as: session.entitlements).first
    } catch .itemNotFound {
      return nil
    } catch {
      throw .store(error)
    }
  }

  private func admits(_ item: StoredItem, in session: KeychainSession) throws(RequestFault) -> Bool {
    for (attribute, wanted) in looseTexts {
      guard case .text(let text)? = item.attributes[attribute],
        text.compare(wanted, options: match.comparison) == .orderedSame
      else { return false }
    }
    if let domain = match.domain {
      guard case .text(let server)? = item.attributes[.server], server == domain || server.hasSuffix("." + domain)
      else { return false }
    }
    guard match.filtersCertificates, item.itemClass == .certificate else { return true }
    return try match.admits(certificate: item, in: session)
  }
}
