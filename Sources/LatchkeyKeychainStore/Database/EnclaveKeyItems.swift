import LatchkeyByteCoding
import LatchkeyEnclaveKeys
package import LatchkeyKeychainModel

/// The rules for items that hold a key of the enclave. Their data is the key's representation, which only the enclave
/// reads; the secret in it is sealed under the key's own access control, and the representation by its class alone.
enum EnclaveKeyItems {
  /// The value of the attribute `tokenID` by which callers know them (`kSecAttrTokenIDSecureEnclave`).
  static let tokenID = AttributeValue.text("com.apple.setoken")

  /// Whether this is how callers name them.
  static func isTokenID(_ value: AttributeValue?) -> Bool { value.map { tokenID.matches($0) } ?? false }

  /// Validates a new item that holds a key, and returns its access control.
  ///
  /// - Throws: `.invalidParameter` if the item says something else than its key; `.foreignKey`, `.damaged`.
  static func validate(
    _ item: NewItem, _ key: EnclaveKey, seal: RepresentationSeal
  ) throws(StoreError) -> StoredControl {
    guard item.itemClass == .key, item.data == nil, !item.isSynchronizable else {
      throw .invalidParameter("a key of the enclave is an item of the class key, has no other data, and stays here")
    }
    guard item.accessControl ?? key.control == key.control,
      item.accessibility ?? key.control.protection == key.control.protection
    else { throw .invalidParameter("a key of the enclave has the access control that it was made with") }
    if let token = item.attributes[.tokenID], !isTokenID(token) { throw otherToken }
    let representation = try seal.open(key.representation)
    guard representation.keyID == key.id, representation.publicKey == key.publicKey,
      representation.control == key.control
    else { throw .damaged("a key of the enclave is not the one that it was") }
    return StoredControl(ofItemWith: representation)
  }

  /// - Throws: `.invalidParameter` if `changes` concern what makes an item one that keeps a key, or would make it one.
  static func check(_ changes: ItemChanges, keepsKey: Bool) throws(StoreError) {
    guard keepsKey else {
      if isTokenID(changes.attributes[.tokenID]) { throw notFromOutside }
      return
    }
    if changes.data != nil || changes.accessControl != nil || changes.accessibility != nil
      || changes.isSynchronizable == true
    {
      throw .invalidParameter("a key of the enclave keeps its data and its access control: make another one")
    }
    if let token = changes.attributes[.tokenID], !isTokenID(token) { throw otherToken }
  }

  static let notFromOutside = StoreError.invalidParameter(
    "items of the token com.apple.setoken are made by the enclave alone: make a key there and add it")
  private static let otherToken = StoreError.invalidParameter("a key of the enclave belongs to no other token")
}

extension StoredControl {
  /// The access control of an item that holds this key. The enrollment is stored in the key itself.
  init(ofItemWith representation: KeyRepresentation) {
    self.init(
      control: representation.control, isBoundToPasscode: representation.stored.isBoundToPasscode, isEnclaveKey: true)
  }
}

extension EnclaveKey {
  /// The key that an item keeps.
  ///
  /// - Throws: `.damaged` for what no enclave wrote.
  init(storedAs bytes: [UInt8], by reference: PersistentReference) throws(StoreError) {
    do {
      self.init(try KeyRepresentation(encoded: bytes), bytes: bytes)
    } catch {
      throw .damaged("a key of the enclave does not read: \(error)")
    }
    self.reference = reference
  }
}

extension KeychainDatabase {
  /// The representation of the key that an item holds, as the enclave wrote it. No user is asked.
  ///
  /// - Throws: `.itemNotFound`; `.invalidParameter` for an item that keeps none; `.locked`, `.damaged`.
  package func enclaveRepresentation(of reference: PersistentReference) throws(StoreError) -> [UInt8] {
    guard reference.itemClass == .key else {
      throw .invalidParameter("the persistent reference is of another class")
    }
    return try readingProven { (connection, proof, header) throws(StoreError) in
      if let known = enclaveKeyItems.key(reference.uuid, at: proof.commits) {
        _ = try parts.ring.classKeys(for: known.accessibility)
        return known.representation
      }
      let statement = try connection.statement("SELECT \(ItemTable.columns) FROM item WHERE uuid = ?")
      defer { statement.reset() }
      statement.bind(reference.uuid, 1)
      guard try statement.step() else {
        try proof.everything(connection, header)
        throw .itemNotFound
      }
      let row = try ItemTable.row(statement)
      try proof.row(row, connection, header)
      guard row.itemClass == StoredCodes.code(of: .key) else { throw .damaged("an item is of another class") }
      guard try row.control.isEnclaveKey else { throw .invalidParameter("the item keeps no key of the enclave") }
      let keys = try parts.ring.classKeys(of: row)
      // What it is sealed with binds all columns but those of the attributes.
      guard let representation = try parts.sealer.openData(row, keys: keys) else {
        throw .damaged("an item keeps no key")
      }
      if let accessibility = StoredCodes.accessibility(row.accessibility) {
        enclaveKeyItems.insert(
          EnclaveKeyItemCache.Key(accessibility: accessibility, representation: representation), reference.uuid,
          at: proof.commits)
      }
      return representation
    }
  }
}

extension KeyRing {
  /// The keys that seal a row.
  ///
  /// - Throws: `.locked`; `.damaged` for a row of no accessibility, or of keys that are gone.
  func classKeys(of row: ItemRow) throws(StoreError) -> ClassKeys {
    guard let accessibility = StoredCodes.accessibility(row.accessibility) else {
      throw .damaged("an item has an accessibility that does not exist")
    }
    let keys = try classKeys(for: accessibility)
    guard row.epoch == Int64(keys.epoch) else { throw .damaged("an item is sealed by keys that are gone") }
    return keys
  }
}
