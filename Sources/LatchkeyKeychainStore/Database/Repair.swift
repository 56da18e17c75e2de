import LatchkeyByteCoding
import LatchkeyEnclaveKeys
public import LatchkeyKeychainModel
import LatchkeyUserPresence

/// Makes a keychain of what is authentic and newest in a damaged one. What was deleted or replaced is not brought back, nor
/// a passcode that was: the authenticated header says what stands in the file, and where its sums do not hold any more, the
/// audit log says of each item which version is its newest.
struct Repair {
  let connection: Connection
  let parts: StoreParts
  let known: VerifiedState
  /// What was read page by page, where the tables hold nothing else: the header, the marks in the index of UUIDs, and all sets
  /// of key records.
  var carved: (header: Header?, marks: [Int64: [UInt8]], records: [[KeyRecord]])?
  /// Whether what is authentic is kept where nothing proves that it is the newest.
  let acceptsUnproven: Bool

  /// Must be called in a writing transaction; the header that it gives is stored already.
  ///
  /// - Throws: `.damaged` where it cannot be decided which key records are in force, and where the header is lost and what is
  ///   not proven is not accepted.
  func perform() throws(StoreError) -> (report: VerificationReport, header: Header) {
    var report = VerificationReport()
    if carved == nil {
      guard try StoreSchema.look(connection) == .keychain else { throw .notAKeychain(path: connection.path) }
      report = try Verification(connection: connection, parts: parts).report(known)
    } else {
      report.findings = [known.damage, known.broken].compactMap { $0 }
    }
    let authority = try authenticHeader()
    let position: AuditPosition
    if let authority { position = authority.state.audit } else { position = try AuditTable.position(connection) }
    let log = try Freshness(connection, parts, position, isEndProven: authority != nil)
    let records = try recordsInForce(authority, log)
    guard authority != nil || acceptsUnproven else { throw Self.unproven }
    try parts.ring.adopt(records)
    let sound = try Sound(authority, connection, parts, marks: carved?.marks)

    try connection.run("DELETE FROM tag")
    try StoreSchema.upgrade(connection)
    try connection.run("REINDEX")
    var state: HeaderState
    if let authority { state = authority.state } else { state = try stateWithoutHeader(records, position, &report) }
    let before = authority?.state.itemCount
    state.slotsDigest = HeaderTable.digest(records)
    state.setHash = SetHash()
    state.itemCount = 0
    state.deviceItemCount = 0
    var sums = HeaderSums()
    var kept: Set<[UInt8]> = []
    for row in try rows(log, sound, isHeaderThere: authority != nil, &report) {
      try ItemTable.insertTags(try IntegrityCount.searched(row), of: row.id, connection)
      try sums.add(row, parts)
      state.countItem(accessibility: row.accessibility)
      kept.insert(parts.auditChain.tag(ofItem: row.uuid))
    }
    for tag in log.present.subtracting(kept).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      report.findings.append("an item is gone: the audit log names it \(Hexadecimal.encode(tag))")
    }
    if let before, state.itemCount < before {
      report.findings.append("\(before - state.itemCount) items are gone")
    }
    state.sums = sums
    if !log.isReadable { try beginAuditAnew(&state) }
    try AuditTable.append(
      .repaired, time: Int64(parts.now() * 1000), item: nil, to: &state.audit, connection, parts.auditChain)
    let counter = max(known.header.counter, (try? HeaderTable.readClear(connection).counter) ?? 0)
    guard counter < Int64.max else { throw .damaged("the header's counter is at its end") }
    let header = Header(format: StoreFormat.current, uuid: parts.uuid, counter: counter + 1, state: state)
    try connection.run("DELETE FROM header")
    try HeaderTable.writeSlots(records, connection)
    try HeaderTable.insert(header, connection, parts.headerSeal)
    return (report, header)
  }

  private static let unproven = StoreError.damaged(
    """
    the header is lost, and nothing else proves that the items, the key records and the passcode are the newest. Restore the \
    keychain from a backup (latchkey keychain restore), or accept that these may be older versions \
    (latchkey keychain verify --repair --accept-unproven)
    """)

  /// The header to store where nothing is left of the old one: nothing that only the old one held is assumed.
  private func stateWithoutHeader(
    _ records: [KeyRecord], _ position: AuditPosition, _ report: inout VerificationReport
  ) throws(StoreError) -> HeaderState {
    var state = HeaderState(slotsDigest: HeaderTable.digest(records), audit: position)
    state.authenticators = [AuthenticatorList.nobody]
    if let rollback = parts.rollback { state.generation = try rollback.counter.value() }
    let counter = parts.rollback == nil ? "" : ", which the counter in the TPM does not tell any more"
    report.findings.append(
      "the header is lost, and nothing else proves that the items, the key records and the passcode are the newest: "
        + "these may be older versions\(counter)")
    report.findings.append(
      "the header is lost, and with it who may vouch for the user: nobody may, until the passcode "
        + "(latchkey keychain presence --allow) or root (/etc/latchkey/presence.conf) says who")
    // Of a log that was cut, the first entry is its anchor alone.
    try connection.run("DELETE FROM audit WHERE seq < \(position.first)")
    return state
  }

  /// The header that keychains wrote last; nil if it is gone, or an older one stands in its place: then the audit log goes
  /// on where that one says it ends.
  private func authenticHeader() throws(StoreError) -> Header? {
    do {
      let header: Header
      if let carved {
        guard let found = carved.header else { return nil }
        header = found
      } else {
        header = try HeaderTable.read(connection, parts)
      }
      return try AuditTable.goesOn(after: header.state.audit, connection, parts.auditChain) ? nil : header
    } catch .damaged {
      return nil
    }
  }

  /// The key records that the header names; without a header, those that the audit log names last.
  private func recordsInForce(_ header: Header?, _ log: Freshness) throws(StoreError) -> [KeyRecord] {
    var candidates: [[KeyRecord]] = []
    if let stored = try? HeaderTable.readSlots(connection) { candidates.append(stored) }
    if let copy = try HeaderTable.readCopy(connection), header != nil || log.keys != nil { candidates.append(copy) }
    // What this process has known since before the damage.
    candidates.append(parts.ring.records)
    if let wanted = header?.state.slotsDigest ?? log.keys {
      for records in candidates where HeaderTable.digest(records).starts(with: wanted) {
        if header == nil { try requireNoRival(of: records, in: candidates, log) }
        return records
      }
      throw .damaged(
        """
        the key records of \(connection.path) are not those in force: they were altered, or older ones were put back, and \
        nothing here has the right ones. Restore the keychain from a backup (latchkey keychain restore)
        """)
    }
    guard let first = candidates.first else { throw .damaged("the key records are gone") }
    // The log names whether a passcode is set, if it does not name the records.
    if let hasPasscode = log.hasPasscode, hasPasscode != first.contains(where: { $0.kind == .userRootByPasscode }) {
      throw .damaged(
        "older key records were put back: restore the keychain from a backup (latchkey keychain restore)")
    }
    try requireNoRival(of: first, in: candidates, log)
    return first
  }

  /// Without a header nothing proves the end of the log, and older key records may have been put back beside a log that was cut.
  /// What betrays it is another whole set that the log does not know to be older.
  private func requireNoRival(
    of chosen: [KeyRecord], in candidates: [[KeyRecord]], _ log: Freshness
  ) throws(StoreError) {
    let copy = try HeaderTable.readCopy(connection) ?? []
    for other in candidates + [copy] + (carved?.records ?? []) where other != chosen && isWhole(other) {
      let digest = HeaderTable.digest(other)
      guard log.earlierKeys.contains(where: { digest.starts(with: $0) }) else {
        throw .damaged(
          """
          \(connection.path) has two sets of key records, and without its header nothing tells which are in force: restore \
          the keychain from a backup (latchkey keychain restore)
          """)
      }
    }
  }

  private func isWhole(_ records: [KeyRecord]) -> Bool {
    (try? CheckedRecords(records, seal: parts.ring.seal, minimumRounds: parts.ring.cost.minimumRounds)) != nil
  }

  /// The rows that stay; the others are deleted.
  private func rows(
    _ log: Freshness, _ sound: Sound, isHeaderThere: Bool, _ report: inout VerificationReport
  ) throws(StoreError) -> [ItemRow] {
    let verification = Verification(connection: connection, parts: parts)
    var kept: [ItemRow] = []
    for id in try ids() {
      let statement = try connection.statement("SELECT \(ItemTable.columns) FROM item WHERE id = ?")
      statement.bind(id, 1)
      var row: ItemRow?
      var reason: String?
      do {
        defer { statement.reset() }
        if try statement.step() {
          let found = try ItemTable.row(statement)
          row = found
          if case .altered(let text) = try verification.verify(found) {
            reason = text
          } else if !sound.contains(found) {
            reason = Self.reason(log.verdict(found), isHeaderThere: isHeaderThere)
          }
        }
      } catch .damaged(let text) {
        reason = text
      }
      var item = RepairedItem(row: id, uuid: row?.uuid, itemClass: row?.itemClass, reason: reason)
      item.isProven = reason != nil || isHeaderThere
      report.items.append(item)
      if reason == nil, var row {
        // Their sealed parts are not needed any more.
        row.meta = []
        row.data = nil
        kept.append(row)
      } else {
        try ItemTable.delete(id, connection)
        report.itemsDropped += 1
      }
    }
    return kept
  }

  /// Why a row is dropped whose chunk does not add up; nil to keep it.
  static func reason(_ verdict: Freshness.Verdict, isHeaderThere: Bool) -> String? {
    switch verdict {
    case .newest: nil
    case .outdated(let text): text
    case .unknown:
      // Without a header, what is older than the log can only be believed.
      isHeaderThere ? "it cannot be told from an older version: its part of the file does not add up" : nil
    }
  }

  private func ids() throws(StoreError) -> [Int64] {
    let statement = try connection.statement("SELECT id FROM item ORDER BY id")
    defer { statement.reset() }
    var ids: [Int64] = []
    while try statement.step() { ids.append(try statement.integer(0)) }
    return ids
  }

  /// A chain that does not hold is begun anew after the last number that was used.
  private func beginAuditAnew(_ state: inout HeaderState) throws(StoreError) {
    let last = max(state.audit.last, (try? connection.number("SELECT max(seq) FROM audit")) ?? 0)
    try connection.run("DELETE FROM audit")
    state.audit = AuditPosition(first: last + 1, last: last)
  }
}

/// The rows that the header's sums prove to be those that keychains wrote last.
private struct Sound {
  private var chunks: Set<Int64> = []
  private var sums: HeaderSums?
  private var isAll = false
  /// The newest marks by the index of UUIDs, where a chunk adds up by these and not by its rows.
  private var marks: [Int64: [UInt8]] = [:]

  /// - Parameter marks: what the index of UUIDs held, if it is not in the database.
  init(
    _ header: Header?, _ connection: Connection, _ parts: StoreParts, marks: [Int64: [UInt8]]?
  ) throws(StoreError) {
    guard let header else { return }
    sums = header.state.sums
    var sum = SetHash()
    var counted: [Int64: UInt128] = [:]
    try Self.walk("SELECT id, leaf FROM item NOT INDEXED ORDER BY id", connection) { id, mark in
      if let sums = header.state.sums {
        counted[sums.chunk(of: id), default: 0] &+= parts.marks.row(id, mark: mark)
      } else {
        sum.add(parts.sealer.share(id: id, mark: mark))
      }
    }
    guard let sums = header.state.sums else {
      isAll = sum == header.state.setHash
      return
    }
    chunks = Set(sums.chunks.keys.filter { counted[$0] == sums.chunks[$0] })
    let rest = sums.chunks.filter { !chunks.contains($0.key) }
    if !rest.isEmpty { try readIndex(rest, sums, connection, parts, marks) }
  }

  private mutating func readIndex(
    _ rest: [Int64: UInt128], _ sums: HeaderSums, _ connection: Connection, _ parts: StoreParts,
    _ carved: [Int64: [UInt8]]?
  ) throws(StoreError) {
    var counted: [Int64: UInt128] = [:]
    var found: [Int64: [UInt8]] = [:]
    func note(_ id: Int64, _ mark: [UInt8]) {
      let chunk = sums.chunk(of: id)
      guard rest[chunk] != nil else { return }
      counted[chunk, default: 0] &+= parts.marks.row(id, mark: mark)
      found[id] = mark
    }
    if let carved {
      for (id, mark) in carved { note(id, mark) }
    } else {
      try Self.walk("SELECT id, leaf FROM item INDEXED BY item_uuid ORDER BY uuid", connection, note)
    }
    let sound = Set(rest.filter { counted[$0.key] == $0.value }.keys)
    marks = found.filter { sound.contains(sums.chunk(of: $0.key)) }
  }

  /// The part of a query that can be read.
  private static func walk(
    _ sql: String, _ connection: Connection, _ body: (Int64, [UInt8]) -> Void
  ) throws(StoreError) {
    do throws(StoreError) {
      let statement = try connection.statement(sql)
      defer { statement.reset() }
      while try statement.step() { body(try statement.integer(0), try statement.bytes(1, size: 32)) }
    } catch {
      guard case .damaged = error else { throw error }
    }
  }

  func contains(_ row: ItemRow) -> Bool {
    if isAll { return true }
    guard let sums else { return false }
    return chunks.contains(sums.chunk(of: row.id)) || marks[row.id] == row.mark
  }
}

/// The outcome of a repair for one item.
public struct RepairedItem: Hashable, Sendable {
  /// The number of its row.
  public var row: Int64
  /// Its UUID, 16 bytes, if that could be read: what a persistent reference names.
  public var uuid: [UInt8]?
  /// Its class, if that could be read.
  public var itemClass: ItemClass?
  /// Why it was dropped; nil if it stays.
  public var reason: String?
  /// Whether what was kept is proven to be the newest version. Without the header that it stands in, nothing is.
  public var isProven = true

  init(row: Int64, uuid: [UInt8]?, itemClass: Int64?, reason: String?) {
    self.row = row
    self.uuid = uuid
    self.itemClass = itemClass.flatMap { StoredCodes.itemClass($0) }
    self.reason = reason
  }
}
