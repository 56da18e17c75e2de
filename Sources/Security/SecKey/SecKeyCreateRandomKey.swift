public import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// Makes a pair of keys and answers with the private one (Apple, SecKey.h).
///
/// `parameters` names `kSecAttrKeyType` and `kSecAttrKeySizeInBits`: curves with 256, 384 or 521 bits, RSA with 1024 to
/// 8192. With `kSecAttrTokenID: kSecAttrTokenIDSecureEnclave` the private key is made in the enclave, on P-256, and never
/// leaves it. Other attributes, `kSecAttrAccessControl` among them, stand for both halves, or in `kSecPrivateKeyAttrs` or
/// `kSecPublicKeyAttrs` for one. With `kSecAttrIsPermanent` a half is stored in the keychain; the private key of the
/// enclave is if nothing is said.
///
/// - Returns: the private key; nil and `errSecParam` for parameters that make no sense, `errSecUnimplemented` for other
///   kinds of keys in the enclave, `errSecNotAvailable` for an access control that nothing here can meet, biometry that is not
///   there say, `errSecAuthFailed` where nothing is enrolled or no passcode is set, `errSecDuplicateItem` for a half that is stored already, and the statuses of ``SecItemAdd(_:_:)``. Nothing is stored
///   then.
@discardableResult
public func SecKeyCreateRandomKey(
  _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
  answer(error) { () throws(KeyFault) in try KeyPairRequest(parameters).made() }
}

/// Makes a pair of keys, as ``SecKeyCreateRandomKey(_:_:)`` does; a failed call leaves both places as they were.
///
/// - Returns: `errSecSuccess`; the statuses of ``SecKeyCreateRandomKey(_:_:)``, whose error says more. What biometry lacks,
///   `canEvaluatePolicy` of LocalAuthentication says, too.
@available(*, deprecated, message: "Use SecKeyCreateRandomKey")
@discardableResult
public func SecKeyGeneratePair(
  _ parameters: CFDictionary, _ publicKey: UnsafeMutablePointer<SecKey?>?, _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
  do throws(KeyFault) {
    let made = try KeyPairRequest(parameters).made()
    let half = try made.publicHalf()
    publicKey?.pointee = SecKey(.public(half))
    privateKey?.pointee = made
    return errSecSuccess
  } catch {
    return error.status
  }
}

extension KeyPairRequest {
  /// Makes the pair and stores what is to be stored.
  func made() throws(KeyFault) -> SecKey {
    let key: SecKey
    if isInEnclave {
      key = try madeInEnclave()
    } else {
      let type = type
      let made = try inKey { () throws(KeyError) in try PrivateKey.generate(type) }
      key = SecKey(.private(made), attributes: privateHalf.attributes)
    }
    return try stored(key)
  }

  private func madeInEnclave() throws(KeyFault) -> SecKey {
    let control = try enclaveControl()
    let session = try inItems { () throws(RequestFault) in try inStore(KeychainSession.current) }
    guard let enclave = session.store.enclave else {
      throw KeyFault(errSecUnimplemented, "this keychain has no enclave: leave kSecAttrTokenID out")
    }
    let consent = privateHalf.consent
    do throws(StoreError) {
      let made = try enclave.create(control, consent: consent)
      return SecKey(
        .enclave(KeyInEnclave(enclave: enclave, key: made, consent: consent)), attributes: privateHalf.attributes)
    } catch {
      throw KeyFault(error)
    }
  }

  /// Stores the halves that are to be stored; if the second fails, the first goes again.
  private func stored(_ key: SecKey) throws(KeyFault) -> SecKey {
    if !storesPublicHalf && !storesPrivateHalf { return key }
    return try inItems { () throws(RequestFault) in
      let session = try inStore(KeychainSession.current)
      var added: PersistentReference?
      if storesPublicHalf {
        let half: PublicKey
        do throws(KeyFault) { half = try key.publicHalf() } catch { throw .unreadableKey }
        added = try publicHalf.adding(SecKey(.public(half), attributes: publicHalf.attributes), in: session).reference
      }
      guard storesPrivateHalf else { return key }
      do throws(RequestFault) {
        let item = try privateHalf.adding(key, in: session)
        return key.stored(as: item.reference)
      } catch {
        if let added {
          try inStore { () throws(StoreError) in
            _ = try session.store.delete(ItemQuery(added), as: session.entitlements)
          }
        }
        throw error
      }
    }
  }
}

extension ItemRequest {
  /// Adds `key` as the item that this describes.
  fileprivate func adding(_ key: SecKey, in session: KeychainSession) throws(RequestFault) -> StoredItem {
    var request = self
    request.take(.key(key))
    var item = try request.newItem()
    defer { item.data?.wipe() }
    return try inStore { () throws(StoreError) in try session.store.add(item, as: session.entitlements) }
  }
}

extension SecKey {
  /// The key as its item keeps it: from now on a key of the enclave is gone when its item is.
  fileprivate func stored(as reference: PersistentReference) -> SecKey {
    guard case .enclave(let own) = kind else { return self }
    var key = own.key
    key.reference = reference
    return SecKey(
      .enclave(KeyInEnclave(enclave: own.enclave, key: key, consent: own.consent)), attributes: usage.itemAttributes)
  }
}
