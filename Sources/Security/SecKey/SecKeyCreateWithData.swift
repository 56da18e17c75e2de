public import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// Creates a key from its bytes, in the form of ``SecKeyCopyExternalRepresentation(_:_:)`` (Apple, SecKey.h).
///
/// `attributes` contains `kSecAttrKeyType` and `kSecAttrKeyClass`; of all others, only `kSecAttrCan…` have an effect.
///
/// - Returns: the key; nil and `errSecParam` for bytes that are not such a key, a type or class that is missing or unknown,
///   and for `kSecAttrTokenID`, because keys cannot be imported into the enclave; `errSecUnimplemented` for a symmetric
///   key.
@discardableResult
public func SecKeyCreateWithData(
  _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
  answer(error) { () throws(KeyFault) in
    let parameters = KeyParameters(attributes)
    if attributes.object(forKey: kSecAttrTokenID) != nil {
      throw KeyFault(
        errSecParam, "keys of the enclave are made in it and never brought there: use SecKeyCreateRandomKey")
    }
    let keyClass = try parameters.keyClass()
    if keyClass == 2 {
      throw KeyFault(
        errSecUnimplemented, "symmetric keys have no reference: add them as items, with kSecValueData")
    }
    let family = try parameters.family()
    let usage = try inItems { () throws(RequestFault) in try ItemRequest(usageIn: attributes) }.attributes
    var bytes = [UInt8](keyData)
    defer { bytes.wipe() }
    switch keyClass {
    case 0:
      let key = try inKey { () throws(KeyError) in try PublicKey(externalRepresentation: bytes, family: family) }
      return SecKey(.public(key), attributes: usage)
    case 1:
      let key = try inKey { () throws(KeyError) in try PrivateKey(externalRepresentation: bytes, family: family) }
      return SecKey(.private(key), attributes: usage)
    default: throw KeyFault(errSecParam, "kSecAttrKeyClass is kSecAttrKeyClassPublic or kSecAttrKeyClassPrivate")
    }
  }
}
