internal import Foundation
internal import LatchkeyKeychainModel

/// Creates the result of a call: Foundation objects in the form that `kSecReturn…` and `kSecMatchLimit` request.
struct ItemResult {
  private let returns: ReturnTypes
  private let limit: MatchLimit
  private let session: KeychainSession
  private let consent: Consent

  /// Creates results for `request`, from items of `session`'s keychain.
  init(_ request: ItemRequest, in session: KeychainSession) {
    returns = request.returns
    limit = request.limit ?? .one
    self.session = session
    consent = request.consent
  }

  /// The result for `items`: one object, or an array of them; nil if no result was requested, or only references of passwords,
  /// which have none.
  func object(for items: [StoredItem]) throws(RequestFault) -> CFTypeRef? {
    if returns.isEmpty { return nil }
    if limit == .one, let item = items.first { return try object(for: item) }
    let objects = NSMutableArray(capacity: items.count)
    for item in items {
      if let object = try object(for: item) { objects.add(object) }
    }
    return objects.count == 0 ? nil : objects
  }

  private func object(for item: StoredItem) throws(RequestFault) -> CFTypeRef? {
    if returns.areDictionary { return try dictionary(for: item) }
    if returns.contains(.data) { return Self.data(item.data ?? []) }
    if returns.contains(.persistentReference) { return Self.data(item.reference.bytes) }
    return try reference(to: item)
  }

  private func dictionary(for item: StoredItem) throws(RequestFault) -> NSDictionary {
    var entries = DictionaryEntries(capacity: item.attributes.count + 8)
    if returns.contains(.attributes) {
      for (attribute, value) in item.attributes { entries.set(attribute.object, value.object) }
      if item.itemClass == .key, item.attributes[.keyClass] == nil {
        entries.set(kSecAttrKeyClass, SecKey.classOfUnnamed.object)
      }
      entries.set(kSecAttrAccessGroup, item.accessGroup as NSString)
      entries.set(kSecAttrSynchronizable, NSNumber(value: item.isSynchronizable ? 1 : 0))
      entries.set(kSecAttrAccessible, item.accessibility.object)
      entries.set(kSecAttrAccessControl, SecAccessControl(item.accessControl))
      if returns.contains(.reference) { entries.set(kSecClass, item.itemClass.rawValue as NSString) }
    }
    if returns.contains(.data), let data = item.data { entries.set(kSecValueData, Self.data(data)) }
    if returns.contains(.persistentReference) {
      entries.set(kSecValuePersistentRef, Self.data(item.reference.bytes))
    }
    if returns.contains(.reference), let reference = try reference(to: item) { entries.set(kSecValueRef, reference) }
    return entries.dictionary
  }

  /// The object of an item; passwords have none.
  private func reference(to item: StoredItem) throws(RequestFault) -> CFTypeRef? {
    switch item.itemClass {
    case .genericPassword, .internetPassword: return nil
    case .key: return try SecKey(item, in: session, consent: consent)
    case .identity: return try identity(of: item)
    case .certificate:
      guard let certificate = SecCertificate(der: item.data ?? []) else { throw .unreadableCertificate }
      return certificate
    }
  }

  /// The identity of `item`, which supplies the key; the certificate is a separate item.
  private func identity(of item: StoredItem) throws(RequestFault) -> SecIdentity {
    var query = ItemQuery(item.reference.asReference(to: .certificate))
    query.wantsData = true
    query.consent = consent
    let found = try inStore { () throws(StoreError) in try session.store.find(query, as: session.entitlements) }
    guard let certificate = SecCertificate(der: found.first?.data ?? []) else { throw .unreadableCertificate }
    let key = try SecKey(item, in: session, consent: consent)
    guard let identity = SecIdentity(certificate: certificate, key: key) else { throw .unreadableKey }
    return identity
  }

  private static func data(_ bytes: [UInt8]) -> NSData { NSData(bytes: bytes, length: bytes.count) }
}
