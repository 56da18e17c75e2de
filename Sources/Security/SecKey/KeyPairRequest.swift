internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// The parsed parameters of a new pair: the parameters of both halves, overridden by `kSecPrivateKeyAttrs` and
/// `kSecPublicKeyAttrs` for one (SecKey.m of Security-61901, `merge_params`).
struct KeyPairRequest {
  /// The type of the key to create.
  let type: KeyType
  /// Whether the enclave creates the key.
  let isInEnclave: Bool
  /// The private half as an item, even if it is not stored.
  let privateHalf: ItemRequest
  /// The public half as an item, even if it is not stored.
  let publicHalf: ItemRequest
  /// Whether the private half is stored; by default, only a key of the enclave is.
  let storesPrivateHalf: Bool
  /// Whether the public half is stored; false by default.
  let storesPublicHalf: Bool

  init(_ parameters: CFDictionary) throws(KeyFault) {
    let privateParameters = try Self.merged(parameters, kSecPrivateKeyAttrs)
    let publicParameters = try Self.merged(parameters, kSecPublicKeyAttrs)
    let kind = KeyParameters(parameters)
    let family = try kind.family()
    let bits = try kind.size()
    isInEnclave = try KeyParameters(privateParameters).wantsEnclave()
    if isInEnclave {
      guard family == .ellipticCurve, bits == 256 else {
        throw KeyFault(
          errSecUnimplemented, "the enclave has keys of kSecAttrKeyTypeECSECPrimeRandom with 256 bits, and no others")
      }
      // The public half is an ordinary item: the token and the access control of the private half do not apply to it.
      publicParameters.removeObject(forKey: kSecAttrTokenID)
      if (parameters.object(forKey: kSecPublicKeyAttrs) as? NSDictionary)?.object(forKey: kSecAttrAccessControl) == nil
      {
        publicParameters.removeObject(forKey: kSecAttrAccessControl)
      }
      privateParameters.removeObject(forKey: kSecAttrTokenID)
    }
    type = try KeyType(family, bits: bits)
    storesPrivateHalf = try Self.isPermanent(privateParameters) ?? isInEnclave
    storesPublicHalf = try Self.isPermanent(publicParameters) ?? false
    privateHalf = try Self.half(privateParameters, isStored: storesPrivateHalf)
    publicHalf = try Self.half(publicParameters, isStored: storesPublicHalf)
  }

  /// The access control of a key that the enclave creates. By default the key can be used while the keychain is unlocked, on
  /// this device only, without a prompt.
  func enclaveControl() throws(KeyFault) -> AccessControl {
    let control =
      privateHalf.accessControl
      ?? AccessControl(
        protection: privateHalf.accessibility ?? .whenUnlockedThisDeviceOnly, flags: .privateKeyUsage)
    guard control.protection.isThisDeviceOnly else {
      throw KeyFault(
        errSecParam, "keys of the enclave stay on this device: take a kSecAttrAccessible…ThisDeviceOnly")
    }
    if privateHalf.synchronizable == .yes {
      throw KeyFault(errSecParam, "keys of the enclave stay on this device: leave kSecAttrSynchronizable out")
    }
    return control
  }

  private static func half(_ parameters: NSDictionary, isStored: Bool) throws(KeyFault) -> ItemRequest {
    try inItems { () throws(RequestFault) in
      var half = try isStored ? ItemRequest(parameters) : ItemRequest(keyIn: parameters)
      // The key itself supplies these attributes.
      for attribute in [ItemAttribute.keyClass, .type, .keySizeInBits] { half.attributes[attribute] = nil }
      half.data?.wipe()
      half.data = nil
      half.returns = []
      try AccessControlRule.check(
        half.accessControl, with: half.accessibility, isSynchronizable: half.synchronizable == .yes)
      return half
    }
  }

  private static func merged(_ parameters: NSDictionary, _ name: CFString) throws(KeyFault) -> NSMutableDictionary {
    let merged = NSMutableDictionary()
    func take(_ dictionary: NSDictionary) {
      dictionary.enumerateKeysAndObjects(options: []) { key, value, _ in
        guard let key = key as? String else { return }
        merged.setObject(value, forKey: key as NSString)
      }
    }
    take(parameters)
    if let own = parameters.object(forKey: name) {
      guard let own = own as? NSDictionary else {
        throw KeyFault(errSecParam, "kSecPrivateKeyAttrs and kSecPublicKeyAttrs are dictionaries of attributes")
      }
      take(own)
    }
    for key in [kSecPrivateKeyAttrs, kSecPublicKeyAttrs, kSecAttrKeyType, kSecAttrKeySizeInBits] {
      merged.removeObject(forKey: key)
    }
    merged.setObject(kSecClassKey, forKey: kSecClass)
    return merged
  }

  private static func isPermanent(_ parameters: NSDictionary) throws(KeyFault) -> Bool? {
    guard let value = parameters.object(forKey: kSecAttrIsPermanent) else { return nil }
    return try inItems { () throws(RequestFault) in try QueryValue(value).asFlag() }
  }
}

extension ItemRequest {
  /// Parses the entries of `dictionary` that apply to a key that is not stored, and ignores all others.
  init(keyIn dictionary: NSDictionary) throws(RequestFault) {
    let known = NSMutableDictionary()
    dictionary.enumerateKeysAndObjects(options: []) { key, value, _ in
      guard let key = key as? String, Self.concernsKeys(key) else { return }
      known.setObject(value, forKey: key as NSString)
    }
    known.setObject(kSecClassKey, forKey: kSecClass)
    try self.init(known)
  }

  /// Parses the key usage in `dictionary`, and ignores all other entries.
  init(usageIn dictionary: NSDictionary) throws(RequestFault) {
    let known = NSMutableDictionary()
    for key in [
      kSecAttrCanEncrypt, kSecAttrCanDecrypt, kSecAttrCanDerive, kSecAttrCanSign, kSecAttrCanVerify, kSecAttrCanWrap,
      kSecAttrCanUnwrap,
    ] {
      if let value = dictionary.object(forKey: key) { known.setObject(value, forKey: key) }
    }
    known.setObject(kSecClassKey, forKey: kSecClass)
    try self.init(known)
  }

  private static func concernsKeys(_ key: String) -> Bool {
    if let attribute = ItemAttribute(key: key) {
      return AttributeSchema.kind(of: attribute, in: .key) != nil
        || [.accessGroup, .synchronizable, .accessible, .accessControl].contains(attribute)
    }
    switch QueryKey(key) {
    case .authenticationUI, .noAuthenticationUI, .operationPrompt, .authenticationContext: return true
    default: return false
    }
  }
}
