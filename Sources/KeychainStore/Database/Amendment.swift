import KeychainModel

/// An update: what it finds depends on the transaction, so all of it happens there. Every row is judged and sealed anew
/// before the first one is written.
struct Amendment: Sendable {
  let plan: MatchPlan
  let changes: ItemChanges
  let groupTags: GroupTags

  private struct Step {
    let old: ItemRow
    let new: ItemRow
    let removed: [AttributeTag]
    let inserted: [AttributeTag]
  }

  func perform(in transaction: inout WriteTransaction) throws(StoreError) -> Int {
    let matching = Matching(
      plan: plan, parts: transaction.parts, connection: transaction.connection, wantsData: true)
    let matches = try matching.collect(limit: nil)
    if matches.isEmpty { throw .itemNotFound }
    var steps: [Step] = []
    var taken: Set<[UInt8]> = []
    for match in matches {
      let step = try step(match, transaction)
      if let id = try ItemTable.id(ofUniqueTag: step.new.uniqueTag, transaction.connection), id != step.old.id {
        throw .duplicateItem
      }
      guard taken.insert(step.new.uniqueTag).inserted else { throw .duplicateItem }
      steps.append(step)
    }
    for step in steps {
      try transaction.replace(step.old, by: step.new, removing: step.removed, inserting: step.inserted)
    }
    return steps.count
  }

  private func step(_ match: Match, _ transaction: WriteTransaction) throws(StoreError) -> Step {
    let parts = transaction.parts
    guard var content = match.content, let accessibility = StoredCodes.accessibility(match.row.accessibility) else {
      throw .damaged("an item has no content")
    }
    content.attributes.merge(changes.attributes) { $1 }
    content.attributes[.modificationDate] = .date(parts.now())
    if let group = changes.accessGroup { content.accessGroup = group }
    let data = changes.data ?? match.data
    try ItemRules.checkSize(content, data: data)
    let isSynchronizable = changes.isSynchronizable ?? (match.row.synchronizable != 0)
    let control = try ItemRules.accessControl(
      changes.accessControl, changes.accessibility,
      otherwise: AccessControl(protection: accessibility, flags: try match.row.control.flags),
      synchronizable: isSynchronizable)
    let keys = try parts.ring.classKeys(for: control.protection)

    let tags = parts.tags.list(content.attributes, in: plan.classCode)
    var row = match.row
    row.synchronizable = isSynchronizable ? 1 : 0
    row.groupTag = groupTags.tag(of: content.accessGroup, by: parts.tags)
    row.accessibility = StoredCodes.code(of: control.protection)
    row.uniqueTag = parts.tags.primaryKey(
      content.attributes, of: plan.itemClass, synchronizable: isSynchronizable, groupTag: row.groupTag)
    guard row.version < Int64.max else { throw .damaged("an item's version is at its end") }
    row.version += 1
    row.epoch = Int64(keys.epoch)
    row.accessControl = AccessControlCoding(flags: control.flags).encode()
    row.tags = tags.encode()
    try parts.sealer.seal(content, data: data, into: &row, keys: keys)

    let before = try Recount.searched(match.row)
    let after = tags.searched(in: plan.itemClass)
    return Step(
      old: match.row, new: row, removed: before.filter { !after.contains($0) },
      inserted: after.filter { !before.contains($0) })
  }
}
