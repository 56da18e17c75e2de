public import KeychainModel
import Synchronization

extension KeychainDatabase {
  /// Stores `item` and tells what was stored, without its data (``ItemStore/add(_:as:)``).
  @discardableResult
  public func add(_ item: NewItem, as caller: Entitlements) throws(StoreError) -> StoredItem {
    while true {
      let addition = try Addition(
        item, as: caller, parts: parts, groupTags: groupTags, known: knowledge.withLock { $0 })
      let isAdded = try writing { (transaction) throws(StoreError) in try addition.perform(in: &transaction) }
      if isAdded { return addition.stored }
    }
  }

  /// The items that match, in the order of their adding (``ItemStore/find(_:as:)``).
  public func find(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> [StoredItem] {
    let plan = try MatchPlan(query, as: caller, isWriting: false, tags: parts.tags, groupTags: groupTags)
    return try readingSound { (connection) throws(StoreError) in
      let matching = Matching(plan: plan, parts: parts, connection: connection, wantsData: plan.wantsData)
      let matches = try matching.collect(limit: plan.limit)
      if matches.isEmpty { throw .itemNotFound }
      var items: [StoredItem] = []
      items.reserveCapacity(matches.count)
      for match in matches { items.append(try match.item(plan.itemClass)) }
      return items
    }
  }

  /// Sets `changes` in all items that match, and tells how many those were (``ItemStore/update(_:with:as:)``).
  @discardableResult
  public func update(
    _ query: ItemQuery, with changes: ItemChanges, as caller: Entitlements
  ) throws(StoreError) -> Int {
    let plan = try MatchPlan(query, as: caller, isWriting: true, tags: parts.tags, groupTags: groupTags)
    if let group = changes.accessGroup { try ItemRules.requireWritable(group, as: caller) }
    try ItemRules.check(changes.attributes, in: query.itemClass)
    let amendment = Amendment(plan: plan, changes: changes, groupTags: groupTags)
    return try writing { (transaction) throws(StoreError) in try amendment.perform(in: &transaction) }
  }

  /// Removes all items that match, locked or not, and tells how many those were (``ItemStore/delete(_:as:)``). Where it
  /// cannot be told whether a locked item matches, because the query names a date or ignores case, it is `.locked`.
  @discardableResult
  public func delete(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> Int {
    let plan = try MatchPlan(query, as: caller, isWriting: true, tags: parts.tags, groupTags: groupTags)
    return try writing { (transaction) throws(StoreError) in
      let matching = Matching(
        plan: plan, parts: transaction.parts, connection: transaction.connection, takesLocked: true, wantsData: false)
      let matches = try matching.collect(limit: nil)
      if matches.isEmpty { throw .itemNotFound }
      var searched: [[AttributeTag]] = []
      for match in matches { searched.append(try Recount.searched(match.row)) }
      for (match, tags) in zip(matches, searched) { try transaction.delete(match.row, searched: tags) }
      return matches.count
    }
  }
}

extension Match {
  /// The item as callers see it.
  func item(_ itemClass: ItemClass) throws(StoreError) -> StoredItem {
    guard let content, let accessibility = StoredCodes.accessibility(row.accessibility) else {
      throw .damaged("an item has no content")
    }
    return StoredItem(
      reference: PersistentReference(itemClass: itemClass, uuid: row.uuid), attributes: content.attributes,
      accessGroup: content.accessGroup, isSynchronizable: row.synchronizable != 0,
      accessControl: AccessControl(protection: accessibility, flags: try row.control.flags), data: data)
  }
}

extension ItemRow {
  /// What its access control's column says.
  var control: AccessControlCoding {
    get throws(StoreError) {
      do {
        return try AccessControlCoding.decode(accessControl)
      } catch {
        throw .damaged("the access control of an item does not read: \(error)")
      }
    }
  }
}
