internal import Crypto
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// A key as an item.
extension SecKey {
  /// The SHA-1 of the public half: `kSecAttrApplicationLabel`.
  var applicationLabel: [UInt8] { Array(Insecure.SHA1.hash(data: publicBytes)) }

  /// Whether the key is private.
  var isPrivate: Bool {
    if case .public = kind { return false }
    return true
  }

  /// The item attributes of a key that is added by reference (SecKey.m of Security-61901, `SecKeyCopyAttributeDictionary`).
  var itemAttributes: [ItemAttribute: AttributeValue] {
    var attributes = identifyingAttributes
    let stays: Bool
    if case .enclave = kind { stays = true } else { stays = false }
    attributes[.effectiveKeySize] = .number(Int64(type.bits))
    attributes[.isPermanent] = .number(1)
    attributes[.isPrivate] = .number(isPrivate ? 1 : 0)
    attributes[.isModifiable] = .number(1)
    attributes[.isSensitive] = .number(stays ? 1 : 0)
    attributes[.wasAlwaysSensitive] = .number(stays ? 1 : 0)
    attributes[.isExtractable] = .number(stays ? 0 : 1)
    attributes[.wasNeverExtractable] = .number(stays ? 1 : 0)
    attributes[.canSignRecover] = .number(0)
    attributes[.canVerifyRecover] = .number(0)
    attributes.merge(usage.itemAttributes) { $1 }
    return attributes
  }

  /// The attributes that distinguish the key from others, which it represents in a query.
  var identifyingAttributes: [ItemAttribute: AttributeValue] {
    var attributes: [ItemAttribute: AttributeValue] = [
      .keyClass: .number(isPrivate ? 1 : 0), .type: .number(type.number), .keySizeInBits: .number(Int64(type.bits)),
      .applicationLabel: .bytes(applicationLabel),
    ]
    if case .enclave = kind { attributes[.tokenID] = .text(kSecAttrTokenIDSecureEnclave as String) }
    return attributes
  }

  /// The default class of a key that was stored without one: a public key, the column's default on iOS.
  static let classOfUnnamed = AttributeValue.number(0)

  /// The data of the key's item; nil for a key of the enclave.
  var itemData: [UInt8]? {
    switch kind {
    case .public(let key): key.externalRepresentation
    case .private(let key): key.externalRepresentation
    case .enclave: nil
    }
  }

  /// Creates the key of an item with these attributes and this data, which is not in the enclave.
  ///
  /// - Throws: `.unreadableKey` if the data is not a key of the class and type in the attributes; `.unimplemented` for a
  ///   symmetric key, which has no reference.
  convenience init(attributes: [ItemAttribute: AttributeValue], data: [UInt8]?) throws(RequestFault) {
    guard case .number(let keyClass) = attributes[.keyClass] ?? Self.classOfUnnamed else { throw .unreadableKey }
    if keyClass == 2 { throw .unimplemented }
    guard case .number(let number)? = attributes[.type], let family = KeyFamily(number: number), let data else {
      throw .unreadableKey
    }
    do throws(KeyError) {
      switch keyClass {
      case 0:
        let key = try PublicKey(externalRepresentation: data, family: family)
        self.init(.public(key), attributes: attributes)
      case 1:
        let key = try PrivateKey(externalRepresentation: data, family: family)
        self.init(.private(key), attributes: attributes)
      default: throw .unsupported("no such class of keys")
      }
    } catch {
      throw .unreadableKey
    }
  }

  /// Creates the key of an item in `session`'s keychain. A key of the enclave is used with `consent`.
  convenience init(_ item: StoredItem, in session: KeychainSession, consent: Consent) throws(RequestFault) {
    guard let key = item.enclaveKey else {
      try self.init(attributes: item.attributes, data: item.data)
      return
    }
    guard let enclave = session.store.enclave else { throw .unimplemented }
    self.init(.enclave(EnclaveKeyHandle(enclave: enclave, key: key, consent: consent)), attributes: item.attributes)
  }
}
