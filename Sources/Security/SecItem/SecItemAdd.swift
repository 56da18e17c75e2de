public import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyKeychainModel

/// Adds an item (Apple, SecItem.h).
///
/// `attributes` names the class, the item's attributes, its secret (`kSecValueData`) or its object (`kSecValueRef`: a
/// certificate, a key, or an identity, which is added as its certificate and its key), and by `kSecReturn…` what to
/// return of it, as ``SecItemCopyMatching(_:_:)`` would; a failed call adds nothing and leaves `result` as it was.
///
/// - Returns: `errSecSuccess`; `errSecDuplicateItem` when the class's primary key is taken in the access group;
///   `errSecInteractionNotAllowed` when the keychain is locked for the item's accessibility; `errSecAuthFailed` when its
///   accessibility or access control asks for a passcode and none is set, or for biometry and nothing is enrolled;
///   `errSecNotAvailable` for an access control that nothing here can meet, biometry that is not there say; others as ``SecItemCopyMatching(_:_:)``.
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
  /// Adds `item` and makes what the call returns.
  fileprivate func add(_ item: NewItem) throws(RequestFault) -> CFTypeRef? {
    let session = try inStore(KeychainSession.current)
    let stored = try stored(item, in: session)
    return try ItemResult(self, in: session).object(for: [stored])
  }

  /// Adds `item` and tells it as it was stored, with its data or its key.
  func stored(_ item: NewItem, in session: KeychainSession) throws(RequestFault) -> StoredItem {
    var stored = try inStore { () throws(StoreError) in try session.store.add(item, as: session.entitlements) }
    stored.data = item.data
    stored.enclaveKey = item.enclaveKey
    stored.enclaveKey?.reference = stored.reference
    return stored
  }

  /// The item that this describes. Nothing that could fail after it was stored is left unsaid here.
  ///
  /// - Throws: `.conflict` for a persistent reference, since that names an item that exists, and for a token that the
  ///   caller names: nothing is brought to the enclave; `.matchUnsupported` for search keys; `.classMissing` for an
  ///   identity, of which there is no item; `.unreadableCertificate`, `.unreadableKey` if a reference is to be returned
  ///   and there can be none.
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

  /// Checks what no added item may ask for.
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
