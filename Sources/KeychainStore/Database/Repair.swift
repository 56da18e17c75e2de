import GRDB
public import KeychainModel
import Synchronization

/// Makes a keychain of what is authentic in a damaged one. What was taken away cannot be brought back, and is told.
struct Repair {
  let connection: Connection
  let parts: StoreParts
  let known: Knowledge

  /// Must be called in a writing transaction; the header that it gives is stored already.
  func perform() throws(StoreError) -> (report: VerificationReport, header: Header) {
    guard try StoreSchema.look(connection) == .keychain else { throw .notAKeychain(path: connection.path) }
    var report = try Verification(connection: connection, parts: parts).report(known)
    // The records prove themselves; the ring refuses them otherwise.
    let records = try HeaderTable.readSlots(connection)
    try parts.ring.adopt(records)

    try connection.run("DELETE FROM tag")
    try connection.run("REINDEX")
    var state = known.header.state
    state.slotsDigest = HeaderTable.digest(records)
    state.setHash = SetHash()
    state.itemCount = 0
    for row in try rows(&report) {
      try ItemTable.insertTags(try Recount.searched(row), of: row.id, connection)
      state.setHash.add(parts.sealer.share(id: row.id, mark: row.mark))
      state.itemCount += 1
    }
    if state.itemCount < known.header.state.itemCount {
      report.findings.append("\(known.header.state.itemCount - state.itemCount) items are gone")
    }
    try mendAudit(&state)
    try AuditTable.append(
      .repaired, time: Int64(parts.now() * 1000), item: nil, to: &state.audit, connection, parts.auditChain)
    let counter = max(known.header.counter, (try? HeaderTable.readClear(connection).counter) ?? 0)
    guard counter < Int64.max else { throw .damaged("the header's counter is at its end") }
    let header = Header(format: StoreFormat.current, uuid: parts.uuid, counter: counter + 1, state: state)
    try connection.run("DELETE FROM header")
    try HeaderTable.insert(header, connection, parts.headerSeal)
    return (report, header)
  }

  /// The sound rows; the others are deleted.
  private func rows(_ report: inout VerificationReport) throws(StoreError) -> [ItemRow] {
    let verification = Verification(connection: connection, parts: parts)
    var sound: [ItemRow] = []
    for id in try ids() {
      let statement = try connection.statement("SELECT \(ItemTable.columns) FROM item WHERE id = ?")
      statement.bind(id, 1)
      var row: ItemRow?
      do {
        defer { statement.reset() }
        if try statement.step() {
          let found = try ItemTable.row(statement)
          if case .altered = try verification.judge(found) {} else { row = found }
        }
      } catch .damaged {
        row = nil
      }
      if var row {
        // Their sealed parts are not needed any more.
        row.meta = []
        row.data = nil
        sound.append(row)
      } else {
        try ItemTable.delete(id, connection)
        report.itemsDropped += 1
      }
    }
    return sound
  }

  private func ids() throws(StoreError) -> [Int64] {
    let statement = try connection.statement("SELECT id FROM item ORDER BY id")
    defer { statement.reset() }
    var ids: [Int64] = []
    while try statement.step() { ids.append(try statement.integer(0)) }
    return ids
  }

  /// A chain that does not hold is begun anew after the last number that was used.
  private func mendAudit(_ state: inout HeaderState) throws(StoreError) {
    do {
      try AuditTable.walk(state.audit, connection, parts.auditChain) { _ in }
    } catch .damaged {
      let last = max(state.audit.last, (try? connection.number("SELECT max(seq) FROM audit")) ?? 0)
      try connection.run("DELETE FROM audit")
      state.audit = AuditPosition(first: last + 1, last: last)
    }
  }
}

extension KeychainDatabase {
  /// Accepts what is authentic, drops what is not, and writes into the audit log that it did so. Items that were taken
  /// away are not brought back: the report tells how many. Without damage nothing is changed.
  ///
  /// Nothing that cannot be opened now because the keychain is locked is dropped as long as nobody altered it.
  public func repair() throws(StoreError) -> VerificationReport {
    guard !configuration.isReadOnly else { throw .readOnly(path: path) }
    try requireUsable()
    let result: Result<VerificationReport, StoreError>
    do {
      result = try pool.writeWithoutTransaction { database in
        let connection = Connection(database: database, path: path)
        return Result { () throws(StoreError) in
          defer { if connection.isInTransaction { try? connection.run("ROLLBACK") } }
          try connection.run("BEGIN IMMEDIATE")
          let commits = CommitMark.read(connection)
          let known = try judge(connection, commits: commits)
          let report = try Verification(connection: connection, parts: parts).report(known)
          if report.isClean { return report }
          let repaired = try Repair(connection: connection, parts: parts, known: known).perform()
          try connection.run("COMMIT")
          learn(Knowledge(commits: .after(commits, connection), header: repaired.header, damage: nil))
          hasWritten.store(true, ordering: .relaxed)
          return repaired.report
        }
      }
    } catch {
      throw StoreError(database: error, path: path)
    }
    return try result.get()
  }
}
