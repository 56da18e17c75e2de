internal import LatchkeyKeychainModel

/// The object in `kSecValueRef`. In a query it represents its identifying attributes, in an item to add all its attributes
/// and its data. The caller's own attributes take precedence (Security-61901, SecItem.m).
extension ItemRequest {
  /// Stores `reference` and merges its attributes.
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

  /// The attributes and the data of the item to add; the data is nil for a key of the enclave.
  ///
  /// - Throws: `.conflict` for a key together with data, and for a key whose class, type, size or token differs from the
  ///   caller's attributes.
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
      // Only the store sets the token of a key of the enclave.
      attributes[.tokenID] = nil
      return (attributes, key.itemData)
    }
  }

  /// The key of the enclave to store in the item to add.
  var enclaveKeyToAdd: EnclaveKey? {
    guard case .key(let key)? = reference, case .enclave(let kept) = key.kind else { return nil }
    var added = kept.key
    added.reference = nil
    return added
  }
}
