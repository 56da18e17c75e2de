public import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyKeychainModel

/// Adds an item (Apple, SecItem.h).
///
/// `attributes` contains the class, the item's attributes, its secret (`kSecValueData`) or its object (`kSecValueRef`: a
/// certificate, a key, or an identity, which is added as its certificate and its key), and `kSecReturn…` for the result,
/// which has the form of ``SecItemCopyMatching(_:_:)``. A failed call adds nothing and does not change `result`.
///
/// - Returns: `errSecSuccess`; `errSecDuplicateItem` if an item with the primary key exists in the access group;
///   `errSecInteractionNotAllowed` if the keychain is locked for the item's accessibility; `errSecAuthFailed` if its
///   accessibility or access control requires a passcode and none is set, or biometry and nothing is enrolled;
///   `errSecNotAvailable` for an access control that no authenticator can meet, such as biometry that is not available;
///   others as ``SecItemCopyMatching(_:_:)``.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  status { () throws(RequestFault) in
    var request = try ItemRequest(attributes)
    if case .identity(let identity)? = request.reference {
      if let object = try IdentityAddition(identity, request).add() { result?.pointee = object }
      return
    }
    var item = try request.newItem()
    request.data = nil
    defer { item.data?.wipe() }
    if let object = try request.add(item) { result?.pointee = object }
  }
}

extension ItemRequest {
  /// Adds `item` and creates the result of the call.
  fileprivate func add(_ item: NewItem) throws(RequestFault) -> CFTypeRef? {
    let session = try inStore(KeychainSession.current)
    let stored = try stored(item, in: session)
    return try ItemResult(self, in: session).object(for: [stored])
  }

  /// Adds `item` and returns the stored item with its data or its key.
  func stored(_ item: NewItem, in session: KeychainSession) throws(RequestFault) -> StoredItem {
    var stored = try inStore { () throws(StoreError) in try session.store.add(item, as: session.entitlements) }
    stored.data = item.data
    stored.enclaveKey = item.enclaveKey
    stored.enclaveKey?.reference = stored.reference
    return stored
  }

  /// Creates the item to add. It validates everything that could fail after the item was stored.
  ///
  /// - Throws: `.conflict` for a persistent reference, which belongs to an existing item, and for a token that the caller
  ///   names, because keys cannot be imported into the enclave; `.matchUnsupported` for search keys; `.classMissing` for an
  ///   identity, which is not an item; `.unreadableCertificate`, `.unreadableKey` if a reference is requested and the data
  ///   has none.
  func newItem() throws(RequestFault) -> NewItem {
    try checkAddition()
    if itemClass == .identity { throw .classMissing }
    let (attributes, data) = try attributesAndDataToAdd()
    if attributes[.tokenID].map({ !$0.isEmptyOrZero }) ?? false { throw .conflict }
    var item = NewItem(
      itemClass, attributes: attributes, accessGroup: accessGroup, isSynchronizable: synchronizable == .yes,
      accessibility: accessibility, accessControl: accessControl, data: data)
    item.consent = consent
    if let key = enclaveKeyToAdd {
      if let accessControl, accessControl != key.control { throw .conflict }
      if let accessibility, accessibility != key.control.protection { throw .conflict }
      if synchronizable == .yes { throw .conflict }
      item.enclaveKey = key
      item.accessibility = nil
      item.accessControl = key.control
    } else if returns.contains(.reference) {
      try checkReference(attributes, data)
    }
    return item
  }

  /// Refuses keys that an item to add may not have, and validates its access control.
  func checkAddition() throws(RequestFault) {
    if persistentReference != nil || consent.interaction == .skipped { throw .conflict }
    if match != nil || limit != nil { throw .matchUnsupported }
    try AccessControlRule.check(accessControl, with: accessibility, isSynchronizable: synchronizable == .yes)
  }

  private func checkReference(_ attributes: [ItemAttribute: AttributeValue], _ data: [UInt8]?) throws(RequestFault) {
    switch itemClass {
    case .genericPassword, .internetPassword, .identity: break
    case .certificate: if SecCertificate(der: data ?? []) == nil { throw .unreadableCertificate }
    case .key: _ = try SecKey(attributes: attributes, data: data)
    }
  }
}
