import LatchkeyKeychainModel

/// One transaction of the database, one header and one commit, shared by several writes.
///
/// A request that fails before it has written anything leaves the transaction as it was. One that fails while it writes
/// spoils it: then everything in it is rolled back.
struct WriteTransaction {
  let connection: Connection
  let parts: StoreParts
  /// The header as it will be written.
  var header: Header { didSet { headerChanges += 1 } }
  /// How often the header was changed.
  private(set) var headerChanges = 0
  /// Whether anything was written.
  private(set) var hasWritten = false
  /// Whether a write failed, so that the transaction cannot be committed.
  private(set) var isSpoiled = false
  /// Milliseconds since 2001.
  let time: Int64
  /// Key records that are in force once the transaction is committed.
  private(set) var newSlots: [KeyRecord]?
  /// The parts that seal the header from this transaction on, if the root key changes.
  var nextParts: StoreParts?
  /// Whether something secret was deleted or replaced, which the log still has until it is emptied.
  private(set) var erases = false
  /// The proof of the rows that the requests read.
  let proof: Proof

  init(_ connection: Connection, _ parts: StoreParts, _ header: Header, _ proof: Proof) {
    self.proof = proof
    self.connection = connection
    self.parts = parts
    self.header = header
    time = Int64(parts.now() * 1000)
  }

  /// Everything that writes goes through here.
  mutating func writing<Value>(
    _ body: (inout WriteTransaction) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    hasWritten = true
    do {
      return try body(&self)
    } catch {
      isSpoiled = true
      throw error
    }
  }

  // MARK: Rows

  /// Adds `row`, whose number comes from the database.
  ///
  /// - Throws: `.duplicateItem`, with nothing written.
  mutating func add(_ row: ItemRow, searched: [AttributeTag], auditTag: [UInt8]) throws(StoreError) {
    if !proof.isWhole, try id(ofUniqueTag: row.uniqueTag) != nil { throw .duplicateItem }
    let id = try writing { (transaction) throws(StoreError) in
      try transaction.raiseFormat()
      return try ItemTable.insert(row, transaction.connection)
    }
    guard let id else { throw .duplicateItem }
    try writing { (transaction) throws(StoreError) in
      try ItemTable.insertTags(searched, of: id, transaction.connection)
      var row = row
      row.id = id
      try transaction.sums { $0.addRow(id, $1.row(id, mark: row.mark)) }
      try transaction.changeTags(of: row, removing: [], inserting: searched, hadKey: nil)
      transaction.header.state.countItem(accessibility: row.accessibility)
      try transaction.log(.added, item: auditTag, version: row.version)
    }
  }

  /// Puts `new` in the place of `old`.
  mutating func replace(
    _ old: ItemRow, by new: ItemRow, removing: [AttributeTag], inserting: [AttributeTag]
  ) throws(StoreError) {
    try renew(old, by: new, under: parts, removing: removing, inserting: inserting)
    try log(.updated, item: parts.auditChain.tag(ofItem: new.uuid), version: new.version)
  }

  /// Puts `new`, the same item sealed by the keys of `after`, in the place of `old`.
  mutating func renew(
    _ old: ItemRow, by new: ItemRow, under after: StoreParts, removing: [AttributeTag], inserting: [AttributeTag]
  ) throws(StoreError) {
    try writing { (transaction) throws(StoreError) in
      transaction.erases = true
      try transaction.raiseFormat()
      try ItemTable.update(new, transaction.connection)
      try ItemTable.deleteTags(removing, of: old.id, transaction.connection)
      try ItemTable.insertTags(inserting, of: new.id, transaction.connection)
      try transaction.discount(old)
      transaction.header.state.countItem(accessibility: new.accessibility)
      try transaction.sums {
        $0.subtractRow(old.id, $1.row(old.id, mark: old.mark))
        $0.addRow(new.id, after.marks.row(new.id, mark: new.mark))
      }
      try transaction.changeTags(
        of: new, removing: removing, inserting: inserting, hadKey: old.uniqueTag, under: after.marks)
    }
  }

  mutating func delete(_ row: ItemRow, searched: [AttributeTag]) throws(StoreError) {
    try writing { (transaction) throws(StoreError) in
      transaction.erases = true
      try transaction.raiseFormat()
      try ItemTable.delete(row.id, transaction.connection)
      try ItemTable.deleteTags(searched, of: row.id, transaction.connection)
      try transaction.sums {
        $0.subtractRow(row.id, $1.row(row.id, mark: row.mark))
        $0[.primaryKeys, HeaderSums.bucket(of: row.uniqueTag)] &-= $1.primaryKey(row.uniqueTag, of: row.id)
        for tag in searched { $0[.tags, HeaderSums.bucket(of: tag.value)] &-= $1.tag(tag, of: row.id) }
      }
      transaction.proof.changed(.primaryKeys, row.uniqueTag)
      for tag in searched { transaction.proof.changed(.tags, tag.value) }
      try transaction.discount(row)
      try transaction.log(.deleted, item: transaction.parts.auditChain.tag(ofItem: row.uuid))
    }
  }

  private mutating func discount(_ row: ItemRow) throws(StoreError) {
    guard header.state.discountItem(accessibility: row.accessibility) else {
      throw .damaged("there are more items than were added")
    }
  }

  /// The number of the row that has this primary key, proven either way.
  ///
  /// - Throws: `.damaged`.
  func id(ofUniqueTag tag: [UInt8]) throws(StoreError) -> Int64? {
    if proof.isWhole { return try ItemTable.id(ofUniqueTag: tag, connection) }
    let statement = try connection.statement("SELECT \(ItemTable.columns) FROM item WHERE uniq = ?")
    defer { statement.reset() }
    statement.bind(tag, 1)
    guard try statement.step() else {
      try proof.absence(ofUniqueTag: tag, connection, header)
      return nil
    }
    let row = try ItemTable.row(statement)
    try proof.row(row, connection, header)
    return row.id
  }

  // MARK: Sums

  /// Changes the header's sums. A keychain of an earlier format gets them, before anything of it changes, with
  /// ``raiseFormat()``.
  private mutating func sums(_ body: (inout HeaderSums, SearchMarks) -> Void) throws(StoreError) {
    guard var sums = header.state.sums else { throw .damaged("the header has no sums") }
    let shift = sums.shift
    // One owner at a time: the sums are changed in place.
    header.state.sums = nil
    body(&sums, parts.marks)
    if sums.shift != shift { proof.chunksChanged() }
    header.state.sums = sums
  }

  private mutating func changeTags(
    of row: ItemRow, removing: [AttributeTag], inserting: [AttributeTag], hadKey old: [UInt8]?,
    under after: SearchMarks? = nil
  ) throws(StoreError) {
    try sums { (sums, marks) in
      let later = after ?? marks
      if let old { sums[.primaryKeys, HeaderSums.bucket(of: old)] &-= marks.primaryKey(old, of: row.id) }
      sums[.primaryKeys, HeaderSums.bucket(of: row.uniqueTag)] &+= later.primaryKey(row.uniqueTag, of: row.id)
      for tag in removing { sums[.tags, HeaderSums.bucket(of: tag.value)] &-= marks.tag(tag, of: row.id) }
      for tag in inserting { sums[.tags, HeaderSums.bucket(of: tag.value)] &+= later.tag(tag, of: row.id) }
    }
    if old != row.uniqueTag {
      if let old { proof.changed(.primaryKeys, old) }
      proof.changed(.primaryKeys, row.uniqueTag)
    }
    for tag in removing + inserting { proof.changed(.tags, tag.value) }
  }

  /// Makes the keychain one of format 3 at least. One of an earlier format was counted as a whole before.
  mutating func raiseFormat() throws(StoreError) {
    guard header.state.sums == nil else { return }
    try writing { (transaction) throws(StoreError) in
      try StoreSchema.upgrade(transaction.connection)
      try HeaderTable.writeCopy(transaction.parts.ring.records, transaction.connection)
      transaction.header.state.sums = try IntegrityCount.sums(transaction.connection, transaction.parts)
      transaction.header.state.setHash = SetHash()
      transaction.header.format = StoreFormat.withSums
    }
  }

  /// Makes the keychain one of format 4, after all rows were sealed anew with the tags of their roots.
  mutating func divide(deviceItems: UInt64) throws(StoreError) {
    try writing { (transaction) throws(StoreError) in
      try transaction.raiseFormat()
      transaction.header.state.deviceItemCount = deviceItems
      transaction.header.format = StoreFormat.withRoots
    }
  }

  // MARK: Keys and log

  mutating func replaceSlots(_ records: [KeyRecord]) throws(StoreError) {
    try writing { (transaction) throws(StoreError) in
      transaction.erases = true
      try transaction.raiseFormat()
      try HeaderTable.writeSlots(records, transaction.connection)
      transaction.header.state.slotsDigest = HeaderTable.digest(records)
      transaction.newSlots = records
    }
  }

  mutating func log(_ event: AuditEvent, item: [UInt8]? = nil, version: Int64? = nil) throws(StoreError) {
    try writing { (transaction) throws(StoreError) in
      // Should the header be lost, the log names the key records in force.
      let keys =
        item == nil && transaction.newSlots != nil
        ? Array(transaction.header.state.slotsDigest.prefix(AuditTable.keysSize)) : nil
      try AuditTable.append(
        event, time: transaction.time, item: item, version: version, keys: keys, to: &transaction.header.state.audit,
        transaction.connection, transaction.parts.auditChain)
    }
  }

  /// Logs an unlock by a passcode that was not typed, unless the last entry is an unlock within the hour before: a service
  /// that unlocks again and again does not push the entries of items out of the log.
  mutating func logTrustedUnlock() throws(StoreError) {
    let last = try AuditTable.last(header.state.audit, connection, parts.auditChain)
    if let last, last.event == .unlocked, (0..<3_600_000).contains(time - last.time) { return }
    try log(.unlocked)
  }

  /// Writes the header: the last thing before the commit.
  mutating func finish() throws(StoreError) {
    try writing { (transaction) throws(StoreError) in
      try AuditTable.prune(&transaction.header.state.audit, transaction.connection)
      guard transaction.header.counter < Int64.max else { throw .damaged("the header's counter is at its end") }
      transaction.header.counter += 1
      try HeaderTable.update(
        transaction.header, transaction.connection, (transaction.nextParts ?? transaction.parts).headerSeal)
    }
  }
}
