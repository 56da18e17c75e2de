public import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyKeychainModel

/// Finds items (Apple, SecItem.h).
///
/// `query` contains a class, attributes that must be equal, `kSecMatch…` keys, and `kSecReturn…` for the result: for each
/// item its data (`NSData`), its attributes (`NSDictionary`), its persistent reference (`NSData`), its reference
/// (`SecCertificate`, `SecKey`, `SecIdentity`), or a dictionary of several of these. The result is one of these, or an array
/// of them with `kSecMatchLimitAll` or a limit above 1. A failed call does not change `result`.
///
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if no item matches; `errSecInteractionNotAllowed` if a matching item
///   cannot be read now, or requires a prompt and prompts are not allowed; `errSecUserCanceled`, `errSecAuthFailed` and
///   `errSecNotAvailable` if consent to read it was not obtained; `errSecUnimplemented` for the reference of a symmetric
///   key; `errSecMissingEntitlement`; `errSecParam`, `errSecNoSuchClass` or `errSecNoSuchAttr` for an invalid query;
///   `errSecDecode` for an item that was altered outside of the keychain; the statuses of a keychain that cannot be opened
///   or read.
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

/// Calls wipe their own copies of secrets when they end. The caller's data and the returned data are the caller's
/// responsibility.
extension [StoredItem] {
  /// Overwrites the items' data.
  mutating func wipeData() {
    for index in indices { self[index].data?.wipe() }
  }
}
