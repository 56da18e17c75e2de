internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyKeychainModel

/// An identity to add: its certificate and its private key, one item each. The call's group, synchronizability and
/// accessibility apply to both items, an attribute to each item whose class has it, and the access control to the key.
struct IdentityAddition {
  private let request: ItemRequest
  private let certificate: ItemRequest
  private let key: ItemRequest

  /// - Throws: `.conflict` if the request has data, because the identity supplies it.
  init(_ identity: SecIdentity, _ request: ItemRequest) throws(RequestFault) {
    try request.checkAddition()
    if request.data != nil { throw .conflict }
    self.request = request
    certificate = Self.half(.certificate(identity.certificate), of: request)
    var key = Self.half(.key(identity.key), of: request)
    key.accessControl = request.accessControl
    self.key = key
  }

  private static func half(_ reference: ItemRequest.ValueReference, of request: ItemRequest) -> ItemRequest {
    var half = ItemRequest(itemClass: reference.itemClass)
    half.attributes = request.attributes.filter { AttributeSchema.kind(of: $0.key, in: reference.itemClass) != nil }
    half.accessGroup = request.accessGroup
    half.synchronizable = request.synchronizable
    if request.accessControl == nil { half.accessibility = request.accessibility }
    half.consent = request.consent
    half.take(reference)
    return half
  }

  /// Adds the missing items, and creates the result of the call.
  ///
  /// - Throws: `.store(.duplicateItem)` if both items exist. If the key cannot be added, a certificate that was added is
  ///   deleted again.
  func add() throws(RequestFault) -> CFTypeRef? {
    var newCertificate = try certificate.newItem()
    var newKey = try key.newItem()
    defer { newKey.data?.wipe() }
    newCertificate.accessControl = nil
    let session = try inStore(KeychainSession.current)
    let (storedCertificate, isNew) = try stored(newCertificate, certificate, in: session)
    do throws(RequestFault) {
      let (storedKey, isNewToo) = try stored(newKey, key, in: session)
      if !isNew && !isNewToo { throw .store(.duplicateItem) }
      let pair = Identities.Pair(certificate: storedCertificate, key: storedKey)
      return try ItemResult(request, in: session).object(for: [pair.item])
    } catch {
      // The call reports its first error, even if the certificate cannot be deleted.
      if isNew { _ = try? session.store.delete(ItemQuery(storedCertificate.reference), as: session.entitlements) }
      throw error
    }
  }

  /// Stores the item, or finds the one that exists.
  private func stored(
    _ item: NewItem, _ half: ItemRequest, in session: KeychainSession
  ) throws(RequestFault) -> (item: StoredItem, isNew: Bool) {
    do throws(RequestFault) {
      return (try half.stored(item, in: session), true)
    } catch {
      guard error == .store(.duplicateItem) else { throw error }
      var query = ItemQuery(
        half.itemClass, attributes: item.attributes.filter { Self.identifying.contains($0.key) },
        accessGroup: item.accessGroup, synchronizable: item.isSynchronizable ? .yes : .no)
      query.limit = 1
      let found = try inStore { () throws(StoreError) in try session.store.find(query, as: session.entitlements) }
      guard var there = found.first else { throw error }
      there.data = item.data
      there.enclaveKey = item.enclaveKey
      there.enclaveKey?.reference = there.reference
      return (there, false)
    }
  }

  private static let identifying: Set<ItemAttribute> = [
    .certificateType, .issuer, .serialNumber, .keyClass, .applicationLabel, .type, .keySizeInBits, .applicationTag,
  ]
}
