public import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// Creates a pair of keys and returns the private one (Apple, SecKey.h).
///
/// `parameters` contains `kSecAttrKeyType` and `kSecAttrKeySizeInBits`: curves with 256, 384 or 521 bits, RSA with 1024 to
/// 8192. With `kSecAttrTokenID: kSecAttrTokenIDSecureEnclave` the private key is created in the enclave, on P-256, and never
/// leaves it. Other attributes, including `kSecAttrAccessControl`, apply to both halves, or in `kSecPrivateKeyAttrs` or
/// `kSecPublicKeyAttrs` to one. With `kSecAttrIsPermanent` a half is stored in the keychain; the private key of the enclave
/// is stored by default.
///
/// - Returns: the private key; nil and `errSecParam` for invalid parameters, `errSecUnimplemented` for other kinds of keys
///   in the enclave, `errSecNotAvailable` for an access control that no authenticator can meet, such as biometry that is not
///   available, `errSecAuthFailed` if nothing is enrolled or no passcode is set, `errSecDuplicateItem` for a half that is
///   already stored, and the statuses of ``SecItemAdd(_:_:)``. A failed call stores nothing.
@discardableResult
public func SecKeyCreateRandomKey(
  _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
  answer(error) { () throws(KeyFault) in try KeyPairRequest(parameters).made() }
}

/// Creates a pair of keys, like ``SecKeyCreateRandomKey(_:_:)``; a failed call changes neither `publicKey` nor `privateKey`.
///
/// - Returns: `errSecSuccess`; the statuses of ``SecKeyCreateRandomKey(_:_:)``, whose error has more detail. If biometry is
///   not available, `canEvaluatePolicy` of LocalAuthentication reports the reason, too.
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
  /// Creates the pair and stores its permanent halves.
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
        .enclave(EnclaveKeyHandle(enclave: enclave, key: made, consent: consent)), attributes: privateHalf.attributes)
    } catch {
      throw KeyFault(error)
    }
  }

  /// Stores the permanent halves; if the second fails, the first is deleted again.
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
        // The call reports its first error, even if the public half cannot be deleted.
        if let added { _ = try? session.store.delete(ItemQuery(added), as: session.entitlements) }
        throw error
      }
    }
  }
}

extension ItemRequest {
  /// Adds `key` as an item with the request's attributes.
  fileprivate func adding(_ key: SecKey, in session: KeychainSession) throws(RequestFault) -> StoredItem {
    var request = self
    request.take(.key(key))
    var item = try request.newItem()
    defer { item.data?.wipe() }
    return try inStore { () throws(StoreError) in try session.store.add(item, as: session.entitlements) }
  }
}

extension SecKey {
  /// The key with a reference to its item: a key of the enclave no longer works once its item is deleted.
  fileprivate func stored(as reference: PersistentReference) -> SecKey {
    guard case .enclave(let own) = kind else { return self }
    var key = own.key
    key.reference = reference
    return SecKey(
      .enclave(EnclaveKeyHandle(enclave: own.enclave, key: key, consent: own.consent)), attributes: usage.itemAttributes
    )
  }
}
