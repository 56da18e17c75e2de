import LatchkeyKeychainModel
import LatchkeyUserPresence

/// An update. The rows that it finds depend on the transaction, so all of it happens there. Every row is validated and sealed
/// anew before the first one is written. Constrained rows are only changed in the state for which consent was given.
struct UpdateOperation: Sendable {
  let query: CheckedQuery
  let changes: ItemChanges
  /// The new access control, if it has constraints.
  let sealing: ConstraintSealer.Sealing?
  /// The consent that was given.
  let consented: Consented

  /// The consent that was given.
  struct Consented: Sendable {
    /// The rows, by their UUIDs.
    var rows: [[UInt8]: Known] = [:]
    /// The controls whose items do not count.
    var leftOut: Set<StoredControl> = []
  }

  /// A constrained row that was opened.
  struct Known: Sendable {
    /// The row's mark when it was.
    var mark: [UInt8]
    var data: [UInt8]?
    /// The seal under its present control, if that stays.
    var sealing: ConstraintSealer.Sealing?
  }

  private struct Step {
    let old: ItemRow
    let new: ItemRow
    let primaryKey: PrimaryKeyTags
    let removed: [AttributeTag]
    let inserted: [AttributeTag]
  }

  /// Performs the update and returns the number of changed items; nil, with nothing written, if one is there that nobody has consented
  /// to yet.
  func perform(in transaction: inout WriteTransaction) throws(StoreError) -> Int? {
    let parts = transaction.parts
    // Another request of this transaction has changed the keys: they are not those that would seal here.
    if transaction.newSlots != nil { return nil }
    if let sealing, !sealing.fits(parts.ring) { return nil }
    let search = Search(
      query: query, parts: parts, connection: transaction.connection, proof: transaction.proof,
      header: transaction.header, wantsData: true)
    let matches = try search.collect(limit: nil)
    var steps: [Step] = []
    var taken: Set<[UInt8]> = []
    for var match in matches {
      var kept: ConstraintSealer.Sealing?
      let control = try match.row.control
      if control.guardsData {
        if consented.leftOut.contains(control) { continue }
        guard let known = consented.rows[match.row.uuid], known.mark == match.row.mark else { return nil }
        if let sealing = known.sealing, !sealing.fits(parts.ring) { return nil }
        match.data = known.data
        kept = known.sealing
      }
      let step = try step(match, kept, transaction)
      if let id = try transaction.id(ofUniqueTag: step.new.uniqueTag), id != step.old.id {
        throw .duplicateItem
      }
      if step.new.uniqueTag != step.old.uniqueTag { try transaction.requireUnique(step.new, step.primaryKey) }
      guard taken.insert(step.primaryKey.device).inserted else { throw .duplicateItem }
      steps.append(step)
    }
    if steps.isEmpty { throw .itemNotFound }
    for step in steps {
      try transaction.replace(step.old, by: step.new, removing: step.removed, inserting: step.inserted)
    }
    return steps.count
  }

  private func step(
    _ match: Match, _ kept: ConstraintSealer.Sealing?, _ transaction: WriteTransaction
  ) throws(StoreError) -> Step {
    let parts = transaction.parts
    guard var content = match.content else {
      throw .damaged("an item has no content")
    }
    let present = try match.row.control
    try EnclaveKeyItems.check(changes, keepsKey: present.isEnclaveKey)
    content.attributes.merge(changes.attributes) { $1 }
    content.attributes[.modificationDate] = .date(parts.now())
    if let group = changes.accessGroup { content.accessGroup = group }
    let data = changes.data ?? match.data
    try ItemRules.checkSize(content, data: data)
    let isSynchronizable = changes.isSynchronizable ?? (match.row.synchronizable != 0)
    let control = try ItemRules.accessControl(
      changes.accessControl, changes.accessibility,
      otherwise: present.control, synchronizable: isSynchronizable)
    let keys = try parts.ring.classKeys(for: control.protection)
    var stored = StoredControl(control: control)
    var constraint: ConstraintSealer.Sealing?
    if changes.accessControl == nil, changes.accessibility == nil {
      stored = present
      constraint = kept
    } else if let sealing {
      stored = sealing.control
      constraint = sealing
    }
    guard stored.guardsData == (constraint != nil) else {
      throw .damaged("an item has constraints that nobody has prepared")
    }

    let rowTags = parts.tags
    let primaryKey = rowTags.primaryKey(
      content.attributes, of: query.query.itemClass, synchronizable: isSynchronizable, group: content.accessGroup)
    guard let index = rowTags[control.protection], let uniqueTag = primaryKey[control.protection] else {
      throw .locked(control.protection, parts.ring.lockState)
    }
    let tags = index.list(content.attributes, in: match.row.itemClass)
    var row = match.row
    row.synchronizable = isSynchronizable ? 1 : 0
    row.groupTag = index.accessGroup(content.accessGroup)
    row.accessibility = StoredCodes.code(of: control.protection)
    row.uniqueTag = uniqueTag
    guard row.version < Int64.max else { throw .damaged("an item's version is at its end") }
    row.version += 1
    row.epoch = Int64(keys.epoch)
    row.accessControl = stored.encode()
    row.tags = tags.encode()
    try parts.sealer.seal(
      content, data: data, into: &row, keys: keys, constraint: constraint.map { (parts.constraints, $0) })

    let before = try IntegrityCount.searched(match.row)
    let after = tags.searched(in: query.query.itemClass)
    return Step(
      old: match.row, new: row, primaryKey: primaryKey, removed: before.filter { !after.contains($0) },
      inserted: after.filter { !before.contains($0) })
  }
}
