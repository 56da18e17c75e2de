public import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

// Public information about a key (Apple, SecKey.h).

/// The public half of a private key, or the same key if it is public. Does not prompt.
@discardableResult
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
  if case .public = key.kind { return key }
  guard let half = try? key.publicHalf() else { return nil }
  return SecKey(.public(half))
}

/// The bytes of a key: for a public key, X9.63's uncompressed point (04 ‖ X ‖ Y) or PKCS #1's RSAPublicKey; for a private
/// key outside of the enclave, 04 ‖ X ‖ Y ‖ K or RSAPrivateKey.
///
/// - Returns: the bytes, which the caller must protect; nil and `errSecUnimplemented` for a private key of the enclave,
///   which never leaves it.
@discardableResult
public func SecKeyCopyExternalRepresentation(
  _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  answer(error) { () throws(KeyFault) in
    switch key.kind {
    case .public(let key): return key.externalRepresentation.object
    case .private(let secret):
      var bytes = secret.externalRepresentation
      defer { bytes.wipe() }
      return bytes.object
    case .enclave:
      throw KeyFault(
        errSecUnimplemented,
        "a private key of the enclave never leaves it: SecKeyCopyPublicKey has its public half (\(key))")
    }
  }
}

/// The attributes of a key, with the names of items' attributes: class, key class, type, size, application label, usage;
/// for a public key also its bytes (`kSecValueData`), for a key of the enclave `kSecAttrTokenID` and
/// `kSecAttrAccessControl`. Never a secret.
@discardableResult
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
  let attributes = key.itemAttributes
  var entries = DictionaryEntries(capacity: attributes.count + 3)
  entries.set(kSecClass, kSecClassKey)
  for (attribute, value) in attributes {
    switch (attribute, value) {
    // These are texts, as in parameters; in items they are numbers (SecKey.m and SecItem.m of Security-61901).
    case (.keyClass, .number(let number)), (.type, .number(let number)):
      entries.set(attribute.object, String(number) as NSString)
    case (.keySizeInBits, _), (.effectiveKeySize, _): entries.set(attribute.object, value.object)
    case (_, .number(let number)): entries.set(attribute.object, NSNumber(value: number != 0))
    default: entries.set(attribute.object, value.object)
    }
  }
  switch key.kind {
  case .public(let key): entries.set(kSecValueData, key.externalRepresentation.object)
  case .private: break
  case .enclave(let key): entries.set(kSecAttrAccessControl, SecAccessControl(key.key.control))
  }
  return entries.dictionary
}

/// The block size in bytes: the length of a coordinate for a key on a curve, or of the modulus for an RSA key.
@discardableResult
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { (key.type.bits + 7) / 8 }

/// Whether a key is permanently invalid, because biometry was enrolled or removed after its creation
/// (`SecAccessControlCreateFlags.biometryCurrentSet`). Does not prompt. Apple has no such function: an app learns it from
/// the error of a use.
///
/// False for every key outside of the enclave, and if the enclave cannot decide, for example because biometry is not
/// available; the error of a use then states the reason.
@discardableResult
public func SecKeyIsInvalidated(_ key: SecKey) -> Bool {
  guard case .enclave(let key) = key.kind else { return false }
  return (try? key.enclave.isInvalidated(key.key)) ?? false
}
