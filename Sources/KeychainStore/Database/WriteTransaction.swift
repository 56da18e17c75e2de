import KeychainModel

/// What several writers share: one transaction of the database, one header, one commit.
///
/// A request that fails before it has written anything leaves the transaction as it was. One that fails while it writes
/// spoils it: then everything in it is rolled back.
struct WriteTransaction {
  let connection: Connection
  let parts: StoreParts
  /// The header as it will be written.
  var header: Header
  /// Whether anything was written.
  private(set) var hasWritten = false
  /// Whether a write failed, so that the transaction cannot be committed.
  private(set) var isSpoiled = false
  /// Milliseconds since 2001.
  let time: Int64
  /// Key records that are in force once the transaction is committed.
  private(set) var newSlots: [KeyRecord]?
  /// Whether something secret was deleted or replaced, which the log still has until it is emptied.
  private(set) var erases = false

  init(_ connection: Connection, _ parts: StoreParts, _ header: Header) {
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
    let id = try writing { (transaction) throws(StoreError) in try ItemTable.insert(row, transaction.connection) }
    guard let id else { throw .duplicateItem }
    try writing { (transaction) throws(StoreError) in
      try ItemTable.insertTags(searched, of: id, transaction.connection)
      transaction.header.state.setHash.add(transaction.parts.sealer.share(id: id, mark: row.mark))
      transaction.header.state.itemCount += 1
      transaction.raiseFormat(for: row)
      try transaction.log(.added, item: auditTag)
    }
  }

  /// Puts `new` in the place of `old`.
  mutating func replace(
    _ old: ItemRow, by new: ItemRow, removing: [AttributeTag], inserting: [AttributeTag]
  ) throws(StoreError) {
    try renew(old, by: new, under: parts, removing: removing, inserting: inserting)
    try log(.updated, item: parts.auditChain.tag(ofItem: new.uuid))
  }

  /// Puts `new`, the same item sealed by the keys of `after`, in the place of `old`.
  mutating func renew(
    _ old: ItemRow, by new: ItemRow, under after: StoreParts, removing: [AttributeTag], inserting: [AttributeTag]
  ) throws(StoreError) {
    try writing { (transaction) throws(StoreError) in
      transaction.erases = true
      try ItemTable.update(new, transaction.connection)
      try ItemTable.deleteTags(removing, of: old.id, transaction.connection)
      try ItemTable.insertTags(inserting, of: new.id, transaction.connection)
      transaction.header.state.setHash.subtract(transaction.parts.sealer.share(id: old.id, mark: old.mark))
      transaction.header.state.setHash.add(after.sealer.share(id: new.id, mark: new.mark))
      transaction.raiseFormat(for: new)
    }
  }

  mutating func delete(_ row: ItemRow, searched: [AttributeTag]) throws(StoreError) {
    try writing { (transaction) throws(StoreError) in
      transaction.erases = true
      try ItemTable.delete(row.id, transaction.connection)
      try ItemTable.deleteTags(searched, of: row.id, transaction.connection)
      transaction.header.state.setHash.subtract(transaction.parts.sealer.share(id: row.id, mark: row.mark))
      guard transaction.header.state.itemCount > 0 else { throw .damaged("there are more items than were added") }
      transaction.header.state.itemCount -= 1
      try transaction.log(.deleted, item: transaction.parts.auditChain.tag(ofItem: row.uuid))
    }
  }

  /// What an earlier format does not know makes the keychain one of the newest.
  private mutating func raiseFormat(for row: ItemRow) {
    if AccessControlCoding.isOfNewestFormat(row.accessControl) { header.format = StoreFormat.current }
  }

  // MARK: Keys and log

  mutating func replaceSlots(_ records: [KeyRecord]) throws(StoreError) {
    try writing { (transaction) throws(StoreError) in
      transaction.erases = true
      try HeaderTable.writeSlots(records, transaction.connection)
      transaction.header.state.slotsDigest = HeaderTable.digest(records)
      transaction.newSlots = records
      transaction.header.format = StoreFormat.current
    }
  }

  mutating func log(_ event: AuditEvent, item: [UInt8]? = nil) throws(StoreError) {
    try writing { (transaction) throws(StoreError) in
      try AuditTable.append(
        event, time: transaction.time, item: item, to: &transaction.header.state.audit, transaction.connection,
        transaction.parts.auditChain)
    }
  }

  /// Writes the header: the last thing before the commit.
  mutating func finish() throws(StoreError) {
    try writing { (transaction) throws(StoreError) in
      try AuditTable.prune(&transaction.header.state.audit, transaction.connection)
      guard transaction.header.counter < Int64.max else { throw .damaged("the header's counter is at its end") }
      transaction.header.counter += 1
      try HeaderTable.update(transaction.header, transaction.connection, transaction.parts.headerSeal)
    }
  }
}
