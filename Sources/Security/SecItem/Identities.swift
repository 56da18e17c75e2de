internal import LatchkeyKeychainModel

/// Finds the identities of a request: certificates whose private key is in the keychain, too.
///
/// No item is stored as an identity. The certificate's public key hash and the key's application label join the two.
/// Attributes of both classes, such as the label, are the certificate's (Security-61901, SecItemDb.c).
struct Identities {
  /// A certificate and its private key.
  struct Pair {
    let certificate: StoredItem
    let key: StoredItem

    /// The pair as one item, with the certificate's reference and group, and the key's secret and access control.
    var item: StoredItem {
      var item = StoredItem(
        reference: certificate.reference.asReference(to: .identity),
        attributes: key.attributes.merging(certificate.attributes) { _, certificate in certificate },
        accessGroup: certificate.accessGroup, isSynchronizable: certificate.isSynchronizable,
        accessControl: key.accessControl, data: key.data)
      item.enclaveKey = key.enclaveKey
      return item
    }
  }

  private let session: KeychainSession
  private let filter: ItemFilter?

  init(of request: ItemRequest, in session: KeychainSession) {
    self.session = session
    filter = ItemFilter(request)
  }

  /// The pairs that match `query`, at most `limit`.
  ///
  /// - Throws: `.store(.itemNotFound)` instead of an empty list.
  func found(_ query: ItemQuery, limit: Int?) throws(RequestFault) -> [Pair] {
    var pairs: [Pair] = []
    for certificate in try certificates(query) {
      guard let key = try key(of: certificate, query) else { continue }
      pairs.append(Pair(certificate: certificate, key: key))
      if pairs.count == limit { break }
    }
    if pairs.isEmpty { throw .store(.itemNotFound) }
    return pairs
  }

  private func certificates(_ query: ItemQuery) throws(RequestFault) -> [StoredItem] {
    var certificates = query
    certificates.itemClass = .certificate
    certificates.attributes = query.attributes.filter { AttributeSchema.kind(of: $0.key, in: .certificate) != nil }
    certificates.persistentReference = query.persistentReference.map { $0.asReference(to: .certificate) }
    certificates.wantsData = false
    certificates.limit = nil
    if let filter { return try filter.found(certificates, limit: nil, in: session) }
    return try inStore { () throws(StoreError) in try session.store.find(certificates, as: session.entitlements) }
  }

  private func key(of certificate: StoredItem, _ query: ItemQuery) throws(RequestFault) -> StoredItem? {
    guard let hash = certificate.attributes[.publicKeyHash], !hash.isEmptyOrZero else { return nil }
    var attributes = query.attributes.filter { AttributeSchema.kind(of: $0.key, in: .certificate) == nil }
    if let wanted = attributes[.applicationLabel], !wanted.matches(hash) { return nil }
    if let wanted = attributes[.isPrivate], !wanted.matches(.number(1)) { return nil }
    attributes[.applicationLabel] = hash
    attributes[.isPrivate] = .number(1)
    var keys = ItemQuery(
      .key, attributes: attributes, accessGroup: query.accessGroup, synchronizable: query.synchronizable,
      ignoresCase: query.ignoresCase, limit: 1, wantsData: query.wantsData)
    keys.consent = query.consent
    do throws(StoreError) {
      return try session.store.find(keys, as: session.entitlements).first
    } catch .itemNotFound {
      return nil
    } catch {
      throw .store(error)
    }
  }
}

extension ItemQuery {
  /// Creates a query for the item of `reference`.
  init(_ reference: PersistentReference) {
    self.init(reference.itemClass, synchronizable: .any, persistentReference: reference)
  }
}
