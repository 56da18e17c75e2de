internal import LatchkeyKeychainModel

/// What stands in `kSecValueRef`: in a query for the attributes that tell it from others, in an item to add for all of
/// its attributes and for its data. The caller's own attributes come first (Security-61901, SecItem.m).
extension ItemRequest {
  /// Takes over what `reference` says.
  mutating func take(_ reference: ValueReference) {
    self.reference = reference
    switch reference {
    case .certificate(let certificate): take(certificate)
    case .key(let key): attributes.merge(key.identifyingAttributes) { own, _ in own }
    case .identity(let identity):
      take(identity.certificate)
      attributes[.applicationLabel] = attributes[.applicationLabel] ?? .bytes(identity.key.applicationLabel)
    }
  }

  /// The attributes of the item to add, and its data, of which a key of the enclave has none.
  ///
  /// - Throws: `.conflict` for a key whose class or type the caller's attributes contradict.
  func attributesAndDataToAdd() throws(RequestFault) -> (attributes: [ItemAttribute: AttributeValue], data: [UInt8]?) {
    switch reference {
    case nil, .identity: return (attributes, data)
    case .certificate(let certificate):
      return (attributes.merging(certificate.itemAttributes) { own, _ in own }, data ?? certificate.der)
    case .key(let key):
      if data != nil { throw .conflict }
      let brought = key.identifyingAttributes
      for attribute in [ItemAttribute.keyClass, .type, .keySizeInBits, .tokenID] {
        if let own = attributes[attribute], !own.matches(brought[attribute] ?? .bytes([])) { throw .conflict }
      }
      var attributes = attributes.merging(key.itemAttributes) { own, _ in own }
      // The store names the token of a key of the enclave, and nobody else does.
      attributes[.tokenID] = nil
      return (attributes, key.itemData)
    }
  }

  /// The key of the enclave that the item to add keeps.
  var enclaveKeyToAdd: EnclaveKey? {
    guard case .key(let key)? = reference, case .enclave(let kept) = key.kind else { return nil }
    var added = kept.key
    added.reference = nil
    return added
  }
}
