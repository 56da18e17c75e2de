internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// The parameters of a new pair, read once: what is said for both halves, overlaid with what `kSecPrivateKeyAttrs` and
/// `kSecPublicKeyAttrs` say for one (SecKey.m of Security-61901, `merge_params`).
struct KeyPairRequest {
  /// What is made.
  let type: KeyType
  /// Whether in the enclave.
  let isInEnclave: Bool
  /// The private half as an item, whether or not it is stored.
  let privateHalf: ItemRequest
  /// The public half as an item, whether or not it is stored.
  let publicHalf: ItemRequest
  /// Whether the private half is stored; if nothing is said, that of the enclave is.
  let storesPrivateHalf: Bool
  /// Whether the public half is stored.
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
      // The public half is an item like any other; who may use the private one is no matter of its own.
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

  /// The access control of a key that the enclave is to make. If nothing is said: while unlocked, on this device, and
  /// usable without asking anybody.
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
      // What the key itself says better.
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
  /// Reads of `dictionary` what concerns a key that is not stored, and takes no notice of the rest.
  init(keyIn dictionary: NSDictionary) throws(RequestFault) {
    let known = NSMutableDictionary()
    dictionary.enumerateKeysAndObjects(options: []) { key, value, _ in
      guard let key = key as? String, Self.concernsKeys(key) else { return }
      known.setObject(value, forKey: key as NSString)
    }
    known.setObject(kSecClassKey, forKey: kSecClass)
    try self.init(known)
  }

  /// Reads of `dictionary` what the key may do, and takes no notice of the rest.
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
