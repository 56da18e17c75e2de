public import LatchkeyKeychainModel
import Synchronization

extension KeychainDatabase {
  /// Stores `item` and returns it as stored, without its data (``ItemStore/add(_:as:)``).
  @discardableResult
  public func add(_ item: NewItem, as caller: Entitlements) throws(StoreError) -> StoredItem {
    while true {
      let insertion = try withSettledKeys { () throws(StoreError) in
        try InsertOperation(
          item, as: caller, parts: parts, known: verified.withLock { $0 }, gate: gate(item.consent))
      }
      let isAdded = try writing { (transaction) throws(StoreError) in try insertion.perform(in: &transaction) }
      if isAdded { return insertion.stored }
    }
  }

  /// The items that match, in the order of their adding (``ItemStore/find(_:as:)``).
  public func find(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> [StoredItem] {
    try withSettledKeys { () throws(StoreError) in try findOnce(query, as: caller) }
  }

  private func findOnce(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> [StoredItem] {
    let checked = try CheckedQuery(query, as: caller, isWriting: false)
    var gate = gate(query.consent)
    var matches = try readingProven { (connection, proof, header) throws(StoreError) in
      var search = Search(
        query: checked, parts: parts, connection: connection, proof: proof, header: header, wantsData: query.wantsData,
        wantsEnclaveKeys: query.wantsEnclaveKeys)
      return try gate.collecting { (gate) throws(StoreError) in
        search.leavesOut = gate
        return try search.collect(limit: query.limit)
      }
    }
    if matches.isEmpty { throw .itemNotFound }
    // The user may need minutes: no connection or lock is held meanwhile.
    try gate.open(&matches, parts)
    var items: [StoredItem] = []
    items.reserveCapacity(matches.count)
    for match in matches { items.append(try match.item(query.itemClass, wantsData: query.wantsData)) }
    return items
  }

  /// Sets `changes` in all items that match, and returns their number (``ItemStore/update(_:with:as:)``).
  @discardableResult
  public func update(
    _ query: ItemQuery, with changes: ItemChanges, as caller: Entitlements
  ) throws(StoreError) -> Int {
    let checked = try CheckedQuery(query, as: caller, isWriting: true)
    if let group = changes.accessGroup { try ItemRules.requireWritable(group, as: caller) }
    try ItemRules.check(changes.attributes, in: query.itemClass)
    var preparation = UpdatePreparation(changes: changes, gate: gate(query.consent))
    // Most updates concern nothing that is constrained: those are done at the first try, without a look before.
    for _ in 0..<UpdatePreparation.attempts {
      let update = UpdateOperation(
        query: checked, changes: changes, sealing: try preparation.sealing(parts), consented: preparation.consented)
      let count = try writing { (transaction) throws(StoreError) in try update.perform(in: &transaction) }
      if let count { return count }
      let matches = try readingProven { (connection, proof, header) throws(StoreError) in
        try Search(query: checked, parts: parts, connection: connection, proof: proof, header: header, wantsData: true)
          .collect(limit: nil)
      }
      try preparation.consent(to: matches, parts)
    }
    throw .busy(path: path)
  }

  /// Removes all items that match, locked or not, and returns their number (``ItemStore/delete(_:as:)``). Where it
  /// cannot be decided whether a locked item matches, because the query names a date or ignores case, or because the keychain was
  /// not unlocked yet, it is `.locked`.
  @discardableResult
  public func delete(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> Int {
    let checked = try CheckedQuery(query, as: caller, isWriting: true)
    return try writing { (transaction) throws(StoreError) in
      let search = Search(
        query: checked, parts: transaction.parts, connection: transaction.connection, proof: transaction.proof,
        header: transaction.header, takesLocked: true, wantsData: false)
      let matches = try search.collect(limit: nil)
      if matches.isEmpty { throw .itemNotFound }
      var searched: [[AttributeTag]] = []
      for match in matches { searched.append(try IntegrityCount.searched(match.row)) }
      for (match, tags) in zip(matches, searched) { try transaction.delete(match.row, searched: tags) }
      return matches.count
    }
  }
}

extension Match {
  /// The item as callers see it: an enclave's key in the place of data.
  func item(_ itemClass: ItemClass, wantsData: Bool) throws(StoreError) -> StoredItem {
    guard let content, let accessibility = StoredCodes.accessibility(row.accessibility) else {
      throw .damaged("an item has no content")
    }
    let stored = try row.control(under: accessibility)
    var item = StoredItem(
      reference: try row.reference(in: itemClass), attributes: content.attributes,
      accessGroup: content.accessGroup, isSynchronizable: row.synchronizable != 0,
      accessControl: stored.control,
      data: wantsData && !stored.isEnclaveKey ? data : nil)
    if stored.isEnclaveKey, let data { item.enclaveKey = try EnclaveKey(storedAs: data, by: item.reference) }
    return item
  }
}

extension ItemRow {
  /// The reference to it, in the class that its code means.
  ///
  /// - Throws: `.damaged` if its UUID has not 16 bytes.
  func reference(in itemClass: ItemClass) throws(StoreError) -> PersistentReference {
    guard let reference = try? PersistentReference(itemClass: itemClass, uuid: uuid) else {
      throw .damaged("the UUID of an item has another length")
    }
    return reference
  }

  /// Its access control, as stored.
  ///
  /// - Throws: `.damaged` if the column or the accessibility is not valid.
  var control: StoredControl {
    get throws(StoreError) {
      guard let protection = StoredCodes.accessibility(accessibility) else {
        throw .damaged("an item has an accessibility that does not exist")
      }
      return try control(under: protection)
    }
  }

  /// Its access control, as stored, if `protection` is what its accessibility means.
  ///
  /// - Throws: `.damaged` if the column is not valid.
  func control(under protection: Accessibility) throws(StoreError) -> StoredControl {
    do {
      return try StoredControl.decode(accessControl, protection: protection)
    } catch {
      throw .damaged("the access control of an item does not read: \(error)")
    }
  }
}
