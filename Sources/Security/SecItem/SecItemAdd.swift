public import Foundation
internal import KeychainModel

/// Adds an item (Apple, SecItem.h).
///
/// `attributes` names the class, the item's attributes, its secret (`kSecValueData`) or a certificate (`kSecValueRef`),
/// and by `kSecReturn…` what to return of it, as ``SecItemCopyMatching(_:_:)`` would; a failed call adds nothing and
/// leaves `result` as it was.
///
/// - Returns: `errSecSuccess`; `errSecDuplicateItem` when the class's primary key is taken in the access group;
///   `errSecInteractionNotAllowed` when the keychain is locked for the item's accessibility; `errSecAuthFailed` when its
///   accessibility asks for a passcode and none is set; `errSecUnimplemented` for an access control with constraints, a
///   key or an identity by reference; others as ``SecItemCopyMatching(_:_:)``.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  status { () throws(RequestFault) in
    var request = try ItemRequest(attributes)
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
    var stored = try inStore { () throws(StoreError) in try session.store.add(item, as: session.entitlements) }
    stored.data = item.data
    return try ItemResult(returns).object(for: [stored])
  }

  /// The item that this describes. Nothing that could fail after it was stored is left unsaid here.
  ///
  /// - Throws: `.conflict` for a persistent reference, since that names an item that exists; `.matchUnsupported` for
  ///   search keys; `.classMissing` for an identity, of which there is no item; `.unreadableCertificate` if a reference
  ///   is to be returned and there can be none.
  fileprivate func newItem() throws(RequestFault) -> NewItem {
    if persistentReference != nil || authenticationUI == .skip { throw .conflict }
    if match != nil || limit != nil { throw .matchUnsupported }
    if itemClass == .identity { throw .classMissing }
    let isSynchronizable = synchronizable == .yes
    try AccessControlRule.check(accessControl, with: accessibility, isSynchronizable: isSynchronizable)
    if itemClass == .key, returns.contains(.reference) { throw .unimplemented }
    if attributes[.tokenID].map({ !$0.isEmptyOrZero }) ?? false { throw .unimplemented }
    let (attributes, data) = attributesAndDataToAdd
    if itemClass == .certificate, returns.contains(.reference), SecCertificate(der: data ?? []) == nil {
      throw .unreadableCertificate
    }
    return NewItem(
      itemClass, attributes: attributes, accessGroup: accessGroup, isSynchronizable: isSynchronizable,
      accessibility: accessibility, accessControl: accessControl, data: data)
  }
}
