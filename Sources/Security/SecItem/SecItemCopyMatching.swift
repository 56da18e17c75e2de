public import Foundation
internal import LatchkeyKeychainModel

/// Finds items (Apple, SecItem.h).
///
/// `query` names a class, attributes that must be equal, `kSecMatch…` keys and, by `kSecReturn…`, what to return: for
/// each item its data (`NSData`), its attributes (`NSDictionary`), its persistent reference (`NSData`), its reference
/// (`SecCertificate`, `SecKey`, `SecIdentity`), or a dictionary of several of these. The result is one of these, or with `kSecMatchLimitAll` or a
/// limit above 1 an array; a failed call leaves `result` as it was.
///
/// - Returns: `errSecSuccess`; `errSecItemNotFound` when nothing matches; `errSecInteractionNotAllowed` when something
///   does and cannot be read now, or somebody would have to be asked and must not be; `errSecUserCanceled`,
///   `errSecAuthFailed` and `errSecNotAvailable` where consent to read it was not given; `errSecUnimplemented` for the
///   reference of a symmetric key; `errSecMissingEntitlement`; `errSecParam`, `errSecNoSuchClass` or `errSecNoSuchAttr`
///   for a query that makes no sense; `errSecDecode` for an item that was altered outside of the keychain; the statuses
///   of a keychain that cannot be opened or read.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  status { () throws(RequestFault) in
    let request = try ItemRequest(query)
    let session = try inStore(KeychainSession.current)
    var items = try request.find(in: session)
    defer { items.wipeData() }
    guard let result else { return }
    if let object = try ItemResult(request, in: session).object(for: items) {
      result.pointee = object
    }
  }
}
